//! tmp
use spinney::io::OnError;
use spinney_chem::Chemistry;
use spinney_chem::read::{Columns, Request, Targets, for_each_batch};
#[test]
fn run() {
    let Some(path) = std::env::var_os("ZZ_FILE") else { return };
    for p in path.to_str().unwrap().split(':') {
        let columns = Columns {
            targets: Targets::All,
            smiles: std::env::var("ZZ_SMILES").ok(),
            ..Columns::default()
        };
        let format = std::env::var("ZZ_FORMAT").ok().map(|f| f.parse().unwrap());
        let request = Request {
            path: p.into(),
            columns,
            on_error: OnError::Skip,
            format,
            ..Request::default()
        };
        let (mut n, mut s, mut first) = (0, vec![], String::new());
        let r = for_each_batch(&request, &Chemistry::default(), 1000, |b| {
            if n == 0 {
                first = format!(
                    "{:?} {:?} {:?}",
                    b.target_names,
                    b.structures.first(),
                    b.targets.iter().map(|c| c.first().cloned()).collect::<Vec<_>>()
                );
            }
            n += b.data.len();
            s.extend(b.skipped.iter().map(|s| s.id.clone()));
            Ok(())
        });
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find(|l| l.starts_with("VmHWM")).unwrap();
        s.truncate(100);
        println!("{p} {r:?} kept {n} skipped {s:?} {first} {peak}");
    }
}
#[test]
fn fuzz() {
    let Some(path) = std::env::var_os("ZZ_FUZZ") else { return };
    let whole = std::fs::read(path).unwrap();
    let mut x = 12345u64;
    let (mut bad, mut panics) = (0, 0);
    std::panic::set_hook(Box::new(|i| println!("{i}")));
    for i in 0..3000 {
        let mut d = whole.clone();
        for _ in 0..1 + i % 3 {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let at = (x >> 33) as usize % d.len();
            d[at] ^= (x >> 20) as u8 | 1;
        }
        std::fs::write("/tmp/zz.parquet", &d).unwrap();
        let request = Request {
            path: "/tmp/zz.parquet".into(),
            on_error: OnError::Skip,
            columns: Columns { targets: Targets::All, ..Columns::default() },
            ..Request::default()
        };
        match std::panic::catch_unwind(|| {
            for_each_batch(&request, &Chemistry::default(), 1000, |_| Ok(()))
        }) {
            Ok(Ok(())) => {}
            Ok(Err(_)) => bad += 1,
            Err(_) => panics += 1,
        }
    }
    println!("fuzz: {bad} errors, {panics} panics");
}
