use std::{any::type_name, marker::PhantomData};

use bevy_app::{App, Plugin, PostStartup, PostUpdate, ValidateParentHasComponentPlugin};
use bevy_ecs::{resource::Resource, schedule::IntoScheduleConfigs};
use bevy_transform::{
    StaticTransformOptimizations, TransformPlugin, TransformSystems, components::GlobalTransform,
};

use crate::{Strategy, XformHierarchy, propagate_transforms};

/// Propagates transforms with the strategy `X`, in place of Bevy's `TransformPlugin`.
///
/// Components, schedules and the system set [`TransformSystems::Propagate`] are the same, so everything that reads
/// `GlobalTransform` works as before. See [the crate](crate) for the differences.
///
/// # Panics
///
/// If the app also has Bevy's `TransformPlugin` or a second strategy: both would write the same components.
///
/// # Examples
///
/// ```
/// use bevy_app::App;
/// use xform_bevy::XformPlugin;
/// use xform_trs::CombinedTrs;
///
/// // In an app with `DefaultPlugins`:
/// // app.add_plugins((
/// //     DefaultPlugins.build().disable::<TransformPlugin>(),
/// //     XformPlugin::<CombinedTrs<f32>>::default(),
/// // ));
/// let mut app = App::new();
/// app.add_plugins(XformPlugin::<CombinedTrs<f32>>::default());
/// ```
pub struct XformPlugin<X>(PhantomData<fn() -> X>);

impl<X> Default for XformPlugin<X> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<X> std::fmt::Debug for XformPlugin<X> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "XformPlugin<{}>", type_name::<X>())
    }
}

/// The strategy of this app. There can be only one.
#[derive(Resource)]
struct Propagates(&'static str);

impl<X: Strategy> Plugin for XformPlugin<X> {
    fn build(&self, app: &mut App) {
        refuse_another(app);
        if let Some(Propagates(other)) = app.world().get_resource() {
            panic!(
                "this app already propagates its transforms with {other}; it can only have one XformPlugin"
            );
        }
        // Built directly instead of added to the app: otherwise a `TransformPlugin` that is added by mistake would
        // fail on adding this plugin twice, with an error that does not mention `TransformPlugin`.
        ValidateParentHasComponentPlugin::<GlobalTransform>::default().build(app);
        // A sub-app may have no type registry.
        #[cfg(feature = "bevy_reflect")]
        if let Some(registry) = app.world().get_resource::<bevy_ecs::reflect::AppTypeRegistry>() {
            registry.write().register::<crate::Inherit>();
        }
        // Not needed here: transforms that do not change are not propagated in any case. Other code may read or set it.
        app.init_resource::<StaticTransformOptimizations>()
            .insert_resource(Propagates(type_name::<X>()))
            .init_resource::<XformHierarchy<X>>()
            // Also in the first frame, so that startup systems see where everything is.
            .add_systems(
                PostStartup,
                propagate_transforms::<X>().in_set(TransformSystems::Propagate),
            )
            .add_systems(
                PostUpdate,
                propagate_transforms::<X>().in_set(TransformSystems::Propagate),
            );
    }

    fn finish(&self, app: &mut App) {
        // `TransformPlugin` may have been added after `build`.
        refuse_another(app);
    }
}

fn refuse_another(app: &App) {
    assert!(
        !app.is_plugin_added::<TransformPlugin>(),
        "XformPlugin takes the place of Bevy's TransformPlugin: add `DefaultPlugins.build().disable::<TransformPlugin>()`"
    );
}
