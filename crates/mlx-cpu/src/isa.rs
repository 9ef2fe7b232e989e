//! Which instructions the kernels use: the best that the processor has, or what `MLX_CPU_ISA` names.

use crate::{pool, setting};
use std::{fmt, str::FromStr, sync::OnceLock};

/// A set of instructions that every kernel has a path for.
///
/// On aarch64 only [`Isa::Portable`] is there, which the compiler turns into NEON; that has not been run yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Isa {
    /// Plain Rust.
    Portable,
    /// AVX2 with FMA, F16C and BMI2: x86-64 since 2013.
    Avx2,
    /// AVX-512 F, BW, DQ, VL and VBMI: x86-64 servers since 2021 (Ice Lake).
    Avx512,
}

impl Isa {
    /// Every set, the slowest first.
    pub const ALL: [Isa; 3] = [Isa::Portable, Isa::Avx2, Isa::Avx512];

    /// Whether this processor has it.
    #[must_use]
    pub fn is_supported(self) -> bool {
        match self {
            Isa::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => crate::arch::Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => crate::arch::Avx512::detect().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The fastest set that this processor has.
    #[must_use]
    pub fn best() -> Isa {
        Isa::ALL.into_iter().rev().find(|isa| isa.is_supported()).unwrap_or(Isa::Portable)
    }

    /// The set that kernels use: `MLX_CPU_ISA` if that is set and not empty, else [`Isa::best`]; read once.
    ///
    /// # Errors
    /// The variable names no set, or one that this processor lacks; or `MLX_CPU_THREADS` is no number of threads, which is
    /// said here because whoever starts asks here.
    pub fn chosen() -> Result<Isa, String> {
        static CHOSEN: OnceLock<Result<Isa, String>> = OnceLock::new();
        CHOSEN
            .get_or_init(|| {
                pool::wanted()?;
                setting::read("MLX_CPU_ISA")?.map_or_else(|| Ok(Isa::best()), |name| named(&name))
            })
            .clone()
    }
}

fn named(name: &str) -> Result<Isa, String> {
    let isa: Isa = name.parse()?;
    if isa.is_supported() {
        return Ok(isa);
    }
    Err(format!("MLX_CPU_ISA={name}: this processor lacks it; the best it has is {}", Isa::best()))
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Isa::Portable => "portable",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        })
    }
}

impl FromStr for Isa {
    type Err = String;

    fn from_str(name: &str) -> Result<Isa, String> {
        Isa::ALL
            .into_iter()
            .find(|isa| isa.to_string() == name)
            .ok_or_else(|| format!("MLX_CPU_ISA={name}: not one of portable, avx2, avx512"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_others_refused() {
        assert_eq!(named("portable"), Ok(Isa::Portable));
        assert_eq!(named("sse9").unwrap_err(), "MLX_CPU_ISA=sse9: not one of portable, avx2, avx512");
        for isa in Isa::ALL {
            let lacks =
                format!("MLX_CPU_ISA={isa}: this processor lacks it; the best it has is {}", Isa::best());
            assert_eq!(named(&isa.to_string()), if isa.is_supported() { Ok(isa) } else { Err(lacks) });
        }
    }
}
