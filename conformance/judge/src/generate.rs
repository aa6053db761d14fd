//! Turns bytes into calls: every call that an operator's users could make, weighted towards those that break
//! implementations.
//!
//! Total: any bytes give a call, and missing bytes read as zeros. Structure is read before data, so that a
//! short change of the bytes is a small change of the call. The same bytes give the same call on every machine.
//!
//! Nothing here knows right answers. A [`Profile`] is an intention; [`rule`] decides about the call: `Valid`
//! calls are never refused, `Open` ones raise a question about their form, `Invalid` ones break one clause.
//!
//! [`rule`]: normative_reference::rule

pub mod covering;

mod data;
pub mod filled;
mod form;
pub mod input;
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
mod values;

use arbitrary::Unstructured;
use ndarray::{ArrayD, IxDyn};
use normative_reference::{Call, Dtype, Spec, Tensor};

pub use layout::laid_out;
pub use values::{power, whole};

use source::Source;

/// The kind of calls to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Profile {
    /// Calls whose form the spec decides and allows. Their values may still raise questions.
    Valid,
    /// Calls whose meaning or validity the spec leaves open.
    Open,
    /// Calls that break a clause.
    Invalid,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 3] = [Self::Valid, Self::Open, Self::Invalid];
}

/// The size limits of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallLimits {
    /// The most data elements, zero dims left aside. One call in fifty may have up to 17 times as many.
    pub max_elements: usize,
    /// The number, of 256 small tensors, whose elements are all spelled by bytes; patterns draw the others.
    pub spelled: u8,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self { max_elements: 256, spelled: 48 }
    }
}

/// Returns true if the text of the spec refuses any call.
pub const fn can_be_invalid(spec: Spec) -> bool {
    !twist::of(spec, Profile::Invalid).is_empty()
}

/// Returns true if the text of the spec leaves the form of any call open.
pub const fn can_be_open(spec: Spec) -> bool {
    !twist::of(spec, Profile::Open).is_empty()
}

/// Returns the call that these bytes spell.
pub fn call(bytes: &mut Unstructured<'_>, spec: Spec, profile: Profile, limits: CallLimits) -> Call {
    call_of_shape(bytes, spec, profile, limits, None)
}

/// Returns the call that these bytes spell, with data of the given dims if any: two calls that differ only in
/// the rest expose state kept between calls.
pub fn call_of_shape(
    bytes: &mut Unstructured<'_>,
    spec: Spec,
    profile: Profile,
    limits: CallLimits,
    shape: Option<&[usize]>,
) -> Call {
    let mut source = Source::new(bytes);
    let form = twist::draw(&mut source, spec, profile, limits, shape);
    let scene = form.scene();
    let bits = data::fill(&mut source, &scene, limits);
    let data = Tensor::from_bits(scene.dtype, &form.shape, &bits).unwrap_or_else(|_| nothing());
    form.into_call(data)
}

/// Returns the call at this place among those of a spec that cover [kernels](crate::generate::covering); the
/// bytes decide the rest. Its profile is [`Profile::Valid`].
pub fn kernel_call(bytes: &mut Unstructured<'_>, spec: Spec, place: usize) -> Call {
    kernel::call(&mut Source::new(bytes), spec, place)
}

/// Returns the same for calls whose rows hold [special values](crate::generate::covering::special).
pub fn special_call(bytes: &mut Unstructured<'_>, spec: Spec, place: usize) -> Call {
    kernel::special_call(&mut Source::new(bytes), spec, place)
}

/// Returns the element type of the call at this place, without making the call, as [`kernel_call`] draws it.
pub fn kernel_dtype(spec: Spec, place: usize) -> Dtype {
    kernel::dtype(spec, place)
}

/// Returns the element type of the call at this place, without making the call, as [`special_call`] draws it.
pub fn special_dtype(spec: Spec, place: usize) -> Dtype {
    covering::rows::dtype(spec, place)
}

/// Returns the element type of the call that these bytes spell, as [`call_of_shape`] draws it.
pub fn dtype(
    bytes: &mut Unstructured<'_>,
    spec: Spec,
    profile: Profile,
    limits: CallLimits,
    shape: Option<&[usize]>,
) -> Dtype {
    twist::draw(&mut Source::new(bytes), spec, profile, limits, shape).dtype
}

/// Returns the dims of the data of the call that these bytes spell.
pub fn shape(bytes: &mut Unstructured<'_>, spec: Spec, profile: Profile, limits: CallLimits) -> Vec<usize> {
    twist::draw(&mut Source::new(bytes), spec, profile, limits, None).shape
}

/// Returns an empty tensor, in place of one that cannot exist, which no form asks for.
fn nothing() -> Tensor {
    Tensor::from(ArrayD::<f32>::zeros(IxDyn(&[0])))
}
