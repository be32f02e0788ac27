//! Cases in which a random search once found a failure.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use xform_core::Trs;
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use super::{Things, conversions_agree, far_is_as_good_as_near};
use crate::support::{every_strategy::for_every_strategy, given_tree::Tree};

fn turned(xyzw: [f64; 4]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Quaternion::from(xyzw))
}

fn posed(translation: [f64; 3], xyzw: [f64; 4], scale: [f64; 3]) -> Trs<f64> {
    Trs::from_parts(translation.into(), turned(xyzw), scale.into())
}

/// Roots.
#[test]
fn conversions_between_roots_agree_with_the_world_matrices() {
    let locals = vec![
        posed([0.0; 3], [0.0, 0.0, 0.0, 1.0], [0.6; 3]),
        posed(
            [0.0, 0.0, 0.0],
            [0.0, -0.06472604069553661, 0.41269179678014245, 0.908568115512677],
            [1.4306477116111835, -1.0124430788249015, -1.4361434002585527],
        ),
        posed(
            [4.78975275672364, 2.2600629536988253, 4.625970792693444],
            [-0.8734672017562704, 0.036514070697336296, 0.1761501892676395, 0.45242997349662367],
            [0.8875980349165703, 1.4873434299958463, 1.5202344553848826],
        ),
        posed(
            [3.7374146476071215, -3.408293521872392, 0.7578700701320032],
            [0.6994089169288306, -0.17509312934810947, -0.617514983956773, 0.3143959407568627],
            [-1.6529883462710913, 1.6241990301073197, 0.6375069171297807],
        ),
        posed(
            [0.8248518799274995, 0.18332276452947968, -3.0610952435346346],
            [0.6502153958369754, -0.5324769851747241, 0.01387310927969633, 0.5417524675667992],
            [1.1066679254810616, 1.6208749022834081, 0.6378512152678466],
        ),
        posed(
            [1.4898176756674177, 4.024181935630674, 0.6572808630144032],
            [0.541612350978471, -0.5680842864595936, -0.1852231882822669, 0.5912940683516281],
            [1.6181465276816098, 1.431551558405079, 1.2702268182058973],
        ),
        posed(
            [2.9296268556517773, 1.8510944040758381, 3.8104705665827745],
            [0.3155122117457709, 0.6212750342599651, 0.7144108924112297, -0.06392536936742255],
            [1.3197692446180622, 1.403104301250278, 0.8323151161923126],
        ),
        posed(
            [-0.707367702880182, 3.119294571665288, 1.9727693213690711],
            [-0.7787558264674002, -0.10932811843040374, 0.5875365722298797, 0.1907550826476384],
            [0.6702219026657428, 1.6385041844664212, 0.729195440274786],
        ),
    ];
    let tree = Tree { parents: vec![None; locals.len()], locals };
    let things = Things {
        point: Vector3::from([3.6484939873175275, -4.976885482052701, 3.4713787803845166]),
        vector: Vector3::from([-2.395583631633655, 2.4705973604354026, -1.5551666482870536]),
        normal: Vector3::from([-2.2325365021204497, -1.2669674447695476, 0.3498116698149618]),
        rotation: turned([
            0.07532821163946876,
            0.40079214506491356,
            -0.8883434928129008,
            0.21103828032477995,
        ]),
    };
    let pose = posed(
        [2.750808549716626, -0.9848939985744873, -0.3937531754168251],
        [-0.48062268038460215, 0.2229823289442893, -0.6554722745581186, 0.538179168459824],
        [-1.4002978868954639, 1.2322980391911147, -0.6607530792571215],
    );
    for_every_strategy!(conversions_agree(&tree, &things, &pose));
}

/// As found once, too: along one axis alone.
#[test]
fn a_mirrored_node_converts_far_away_as_at_the_origin() {
    let mirrored = posed([0.0; 3], [0.0, 0.0, 0.0, 1.0], [0.6, 0.6, -0.6]);
    let tree = Tree { parents: vec![None], locals: vec![mirrored] };
    let things = Things {
        point: Vector3::from([0.0, 0.0, 0.0]),
        vector: Vector3::from([0.0, 0.0, 0.9625947833499386]),
        normal: Vector3::from([0.0, 0.0, 3.475964677814564]),
        rotation: turned([0.0, -0.9936838026757271, 0.0, 0.11221631031140998]),
    };
    let root = posed([0.0; 3], [0.0, 0.0, 0.0, 1.0], [0.6; 3]);
    far_is_as_good_as_near::<AccumulatedMatrix<f32>>(&tree, &things, &root);
    far_is_as_good_as_near::<CombinedTrs<f32>>(&tree, &things, &root);
    far_is_as_good_as_near::<CombinedTrs<f64>>(&tree, &things, &root);
}
