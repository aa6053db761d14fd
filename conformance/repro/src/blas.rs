//! Writes scripts for BLAS: the routine of one precision, with n and incx as the call has them.

use normative_reference::{Call, Dtype, Norm, Operator};

use crate::models::no;
use crate::script::{Script, array, filled, pin};
use crate::target::Blas;
use crate::{NoRepro, Subject};

/// A call of BLAS in any language: the routine's name, with its letter for the precision, and its two integers.
pub(crate) struct Routine {
    pub(crate) name: String,
    pub(crate) n: i32,
    pub(crate) incx: i32,
}

impl Routine {
    /// Returns the routine of a call.
    pub(crate) fn of(subject: &Subject<'_>) -> Result<Self, NoRepro> {
        let Call { operator: Operator::Blas { norm, n, incx }, data, .. } = subject.call else {
            return Err(no(subject, "a BLAS has vectors alone".into()));
        };
        let letter = match data.dtype() {
            Dtype::F32 => "s",
            Dtype::F64 => "d",
            other => return Err(no(subject, format!("BLAS has no routine for {other}"))),
        };
        let norm = if *norm == Norm::L1 { "asum" } else { "nrm2" };
        Ok(Self { name: format!("{letter}{norm}"), n: *n, incx: *incx })
    }
}

/// Returns the script in Python.
pub(crate) fn script(subject: &Subject<'_>, library: Blas) -> Result<Script, NoRepro> {
    let version = subject.identity.version.as_str();
    let Routine { name, n, incx } = Routine::of(subject)?;
    let (literal, file) = array(&subject.call.data, "data.npy");
    let by_ctypes = include_str!("templates/blas_ctypes.py");
    let (template, package, imports, path) = match library {
        Blas::OpenBlas => (
            by_ctypes,
            // The text after the number names the kernels in use.
            Some(pin("scipy-openblas32", version.split(' ').next().unwrap_or_default())),
            "import scipy_openblas32",
            "next(Path(scipy_openblas32.get_lib_dir()).glob(\"libscipy_openblas.*\"))".to_owned(),
        ),
        Blas::System(file) => (by_ctypes, None, "", format!("\"{file}\"")),
        Blas::Scipy => (
            include_str!("templates/blas_scipy.py"),
            Some(pin("scipy", version)),
            "from scipy.linalg import blas",
            String::new(),
        ),
    };
    let code = filled(
        template,
        &[
            ("DATA", &literal),
            ("ROUTINE", &name),
            ("NUMBER", if name.starts_with('s') { "float" } else { "double" }),
            ("LIBRARY", &path),
            ("N", &n.to_string()),
            ("INCX", &incx.to_string()),
        ],
    );
    Ok(Script {
        packages: package.into_iter().chain(["numpy".to_owned()]).collect(),
        standard: if library == Blas::Scipy { &[] } else { &["import ctypes"] },
        imports: imports.into(),
        code,
        files: file.into_iter().collect(),
    })
}
