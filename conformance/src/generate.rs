//! Bytes in, a call out: every call an operator's users could make, weighted towards those at which
//! implementations break.
//!
//! Total: any bytes give a call, and what is missing of them reads as zeros. Structure is read before
//! data, so that a short change of the bytes is a small change of the call. The same bytes give the
//! same call on every machine.
//!
//! Nothing here knows what is right. A [`Profile`] is an intention; what a call really is, [`rule`]
//! says: `Valid` calls are never refused, `Open` ones raise a question about their form, `Invalid` ones
//! break one thing.
//!
//! [`rule`]: normative_reference::rule

pub mod covering;

mod data;
mod form;
pub mod input;
pub mod kept;
mod kernel;
mod layout;
pub mod neighbour;
mod rare;
mod shape;
mod source;
mod special;
mod telling;
pub mod turns;
mod twist;
mod undo;
mod values;
mod written;

use arbitrary::Unstructured;
use ndarray::{ArrayD, IxDyn};
use normative_reference::{Call, Spec, Tensor};

pub(crate) use layout::laid_out;
pub(crate) use values::whole;

use source::Source;

/// What kind of calls to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Profile {
    /// Calls whose form the spec decides and allows. Their values may still raise questions.
    Valid,
    /// Calls of which the spec does not say what they mean, or whether they are allowed.
    Open,
    /// Calls that break a clause.
    Invalid,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 3] = [Self::Valid, Self::Open, Self::Invalid];
}

/// How large calls may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Elements of data, zero dims left aside. One call in fifty may have up to 17 times as many.
    pub max_elements: usize,
    /// Of how many of 256 small tensors the bytes spell every element; of the others, a pattern draws them.
    pub spelled: u8,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_elements: 256, spelled: 48 }
    }
}

/// Whether the text of the spec refuses any call.
pub(crate) const fn can_be_invalid(spec: Spec) -> bool {
    !twist::of(spec, Profile::Invalid).is_empty()
}

/// Whether the text of the spec leaves the form of any call open.
pub(crate) const fn can_be_open(spec: Spec) -> bool {
    !twist::of(spec, Profile::Open).is_empty()
}

/// The call these bytes spell.
pub fn call(bytes: &mut Unstructured<'_>, spec: Spec, profile: Profile, limits: Limits) -> Call {
    call_of_shape(bytes, spec, profile, limits, None)
}

/// The call these bytes spell, with data of the given dims if there are any: whoever keeps something from
/// call to call is found by two calls that differ only in the rest.
pub fn call_of_shape(
    bytes: &mut Unstructured<'_>,
    spec: Spec,
    profile: Profile,
    limits: Limits,
    shape: Option<&[usize]>,
) -> Call {
    let mut source = Source::new(bytes);
    let form = twist::draw(&mut source, spec, profile, limits, shape);
    let scene = form.scene();
    let bits = data::fill(&mut source, &scene, limits);
    let data = Tensor::from_bits(scene.dtype, &form.shape, &bits).unwrap_or_else(|_| nothing());
    form.into_call(data)
}

/// The call of this place among those of a spec that stand for [kernels](crate::generate::covering), in what the place leaves open
/// as these bytes spell it. Its profile is [`Profile::Valid`].
pub fn kernel_call(bytes: &mut Unstructured<'_>, spec: Spec, place: usize) -> Call {
    kernel::call(&mut Source::new(bytes), spec, place)
}

/// The call of this place among those of a spec whose rows hold [special values](crate::generate::covering::special), likewise.
pub fn special_call(bytes: &mut Unstructured<'_>, spec: Spec, place: usize) -> Call {
    kernel::special_call(&mut Source::new(bytes), spec, place)
}

/// The dims of the data of the call these bytes spell.
pub fn shape(bytes: &mut Unstructured<'_>, spec: Spec, profile: Profile, limits: Limits) -> Vec<usize> {
    twist::draw(&mut Source::new(bytes), spec, profile, limits, None).shape
}

/// Stands for a tensor that cannot be, which no form asks for.
fn nothing() -> Tensor {
    Tensor::from(ArrayD::<f32>::zeros(IxDyn(&[0])))
}
