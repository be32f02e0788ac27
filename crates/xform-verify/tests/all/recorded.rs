use std::{fs, path::Path};
use xform_verify::{Answers, Question, Scenes, verify};

#[test]
fn probe() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../xform-engines/kit/answers");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    for f in files {
        let mut runs = Answers::read(&fs::read(&f).unwrap()).unwrap();
        for run in &mut runs {
            run.engine = "unknown".into();
            run.axes = None;
        }
        let t = std::time::Instant::now();
        let v = verify(&[(f.display().to_string(), runs)], &Scenes::kit(), &Question::default());
        for r in &v.runs {
            println!(
                "{} {:?} {:?}",
                r.run,
                r.verdict,
                r.judged.as_ref().map(|j| (
                    j.rules
                        .iter()
                        .map(|r| format!("{} {}", r.engine, r.with.clone().unwrap_or_default()))
                        .collect::<Vec<_>>(),
                    j.right,
                    j.known,
                    j.unknown,
                    j.residual
                ))
            );
            println!("     axes {:?}", r.axes.as_ref().map(|a| (a.convention.words(), a.as_good)));
            if let Some(w) = &r.first_wrong {
                println!(
                    "     first {} {} {:?} {:?} {:?}",
                    w.scene, w.node, w.residual, w.mistake, w.hangs_below
                );
                println!(
                    "     {:?}",
                    r.scenes
                        .iter()
                        .filter(|s| s.right < s.known)
                        .map(|s| format!("{} {}/{} {:?}", s.scene, s.right, s.known, s.residual))
                        .collect::<Vec<_>>()
                );
            }
            if !r.told_apart_by.is_empty() {
                println!(
                    "     told {:?}",
                    r.told_apart_by.iter().map(|t| (&t.scene, t.groups.len())).collect::<Vec<_>>()
                );
            }
            if r.scenes.iter().any(|s| !s.strangers.is_empty()) || !r.unknown_scenes.is_empty() {
                println!(
                    "     strangers {:?} {:?}",
                    r.scenes
                        .iter()
                        .filter(|s| !s.strangers.is_empty())
                        .map(|s| (&s.scene, &s.strangers))
                        .collect::<Vec<_>>(),
                    r.unknown_scenes
                );
            }
        }
        println!("{:?}", t.elapsed());
    }
}
