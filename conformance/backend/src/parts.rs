//! Writes and reads the parts of messages: each is appended to a body, and taken from the front of one.
//! [`super::wire`] documents them; this module does not know messages.

use normative_reference::tensor::element_count;
use normative_reference::{Axes, AxesTensor, Dtype, Family, Layout, Norm, Operator, Opset, Tensor};

use super::bound::{MAX_LINES, ResultBound};
use super::error::WireError;
use super::reply::Reply;
use crate::{Answer, Claim, Extent, bytes};

pub(super) fn dtype_code(dtype: Dtype) -> u8 {
    match dtype {
        Dtype::F16 => 0,
        Dtype::Bf16 => 1,
        Dtype::F32 => 2,
        Dtype::F64 => 3,
        Dtype::I8 => 4,
        Dtype::I16 => 5,
        Dtype::I32 => 6,
        Dtype::I64 => 7,
        Dtype::U8 => 8,
        Dtype::U16 => 9,
        Dtype::U32 => 10,
        Dtype::U64 => 11,
    }
}

/// Returns the number of a family, which its operators share.
pub(super) fn family_code(family: Family) -> u8 {
    match family {
        Family::OpenVino => 1,
        Family::Onnx => 2,
        Family::Bnns => 3,
        Family::ArrayApi => 4,
        Family::WebNn => 5,
        Family::Blas => 6,
    }
}

/// The bit that marks a claim of a family's values alone.
const VALUES_ALONE: u8 = 0x80;

/// Returns the number of a claim: that of its family, with [`VALUES_ALONE`] if that is its extent.
pub(super) fn claim_code(Claim { family, extent }: Claim) -> u8 {
    match extent {
        Extent::InFull => family_code(family),
        Extent::ValuesAlone => family_code(family) | VALUES_ALONE,
    }
}

fn norm_code(norm: Norm) -> u8 {
    match norm {
        Norm::L1 => 1,
        Norm::L2 => 2,
        Norm::SumSquare => 3,
        Norm::Sum => 4,
    }
}

/// Returns the number of a layout. Row-major is never written.
pub(super) fn layout_code(layout: Layout) -> u8 {
    match layout {
        Layout::RowMajor => 0,
        Layout::Transposed => 1,
        Layout::Reversed => 2,
        Layout::Sliced => 3,
        Layout::Broadcast => 4,
        Layout::Unaligned => 5,
    }
}

/// Appends a count. One beyond `u32` would be cut, but such a body exceeds a frame, so writing it fails.
pub(super) fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend((count as u32).to_le_bytes());
}

pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_count(out, text.len());
    out.extend(text.as_bytes());
}

fn put_dims(out: &mut Vec<u8>, dims: &[usize]) {
    put_count(out, dims.len());
    for &dim in dims {
        out.extend((dim as u64).to_le_bytes());
    }
}

pub(super) fn put_tensor(out: &mut Vec<u8>, tensor: &Tensor) {
    out.push(dtype_code(tensor.dtype()));
    put_dims(out, tensor.shape());
    bytes::put(tensor, out);
}

pub(super) fn put_axes(out: &mut Vec<u8>, axes: &Axes) {
    match axes {
        Axes::Absent => out.push(0),
        Axes::Null => out.push(1),
        Axes::Given(AxesTensor { dtype, shape, values })
        | Axes::OtherForm(AxesTensor { dtype, shape, values }) => {
            let form = if matches!(axes, Axes::Given(_)) { 2 } else { 3 };
            out.extend([form, dtype_code(*dtype)]);
            put_dims(out, shape);
            put_count(out, values.len());
            for value in values {
                out.extend(value.to_le_bytes());
            }
        }
    }
}

pub(super) fn put_operator(out: &mut Vec<u8>, operator: &Operator) {
    let optional_int = |out: &mut Vec<u8>, value: Option<i64>| match value {
        None => out.push(0),
        Some(value) => {
            out.push(1);
            out.extend(value.to_le_bytes());
        }
    };
    match operator {
        Operator::OpenVino { norm, keep_dims } => {
            out.extend([1, norm_code(*norm), keep_dims.map_or(0, |keep| 1 + u8::from(keep))]);
        }
        Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes } => {
            out.extend([2, norm_code(*norm), opset.number()]);
            optional_int(out, *keepdims);
            optional_int(out, *noop_with_empty_axes);
        }
        Operator::Bnns { output_shape } => {
            out.push(3);
            put_dims(out, output_shape);
        }
        Operator::ArrayApi { ord, keepdims } => {
            out.extend([4, ord.map_or(0, norm_code), keepdims.map_or(0, |keep| 1 + u8::from(keep))]);
        }
        Operator::WebNn { norm, keep_dimensions } => {
            out.extend([5, norm_code(*norm), keep_dimensions.map_or(0, |keep| 1 + u8::from(keep))]);
        }
        Operator::Blas { norm, n, incx } => {
            out.extend([6, norm_code(*norm)]);
            out.extend(n.to_le_bytes());
            out.extend(incx.to_le_bytes());
        }
    }
}

/// A body being read from the front.
pub(super) struct Body<'a> {
    rest: &'a [u8],
    /// Bytes of the body that come after `rest` and were not kept.
    dropped: usize,
    at: usize,
}

impl<'a> Body<'a> {
    pub(super) fn new(body: &'a [u8]) -> Self {
        Self::start(body, body.len())
    }

    /// Starts a body of `length` bytes, of which only these first ones were kept.
    pub(super) fn start(start: &'a [u8], length: usize) -> Self {
        Self { rest: start, dropped: length.saturating_sub(start.len()), at: 0 }
    }

    /// Returns true if the body has been read to its end.
    pub(super) fn is_at_end(&self) -> bool {
        self.left() == 0
    }

    /// Returns the bytes of the body that are still to be read, kept or not.
    fn left(&self) -> usize {
        self.rest.len() + self.dropped
    }

    /// Skips bytes, kept or not, and returns the kept ones.
    fn pass(&mut self, needed: usize, what: &'static str) -> Result<&'a [u8], WireError> {
        let (at, left) = (self.at, self.left());
        if needed > left {
            return Err(WireError::Truncated { at, what, needed, left });
        }
        let (passed, rest) = self.rest.split_at(needed.min(self.rest.len()));
        self.rest = rest;
        self.dropped -= needed - passed.len();
        self.at += needed;
        Ok(passed)
    }

    fn take(&mut self, needed: usize, what: &'static str) -> Result<&'a [u8], WireError> {
        let (at, left) = (self.at, self.rest.len());
        let (taken, rest) =
            self.rest.split_at_checked(needed).ok_or(WireError::Truncated { at, what, needed, left })?;
        self.rest = rest;
        self.at += needed;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], WireError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    pub(super) fn u8(&mut self, what: &'static str) -> Result<u8, WireError> {
        self.array(what).map(u8::from_le_bytes)
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, WireError> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64, WireError> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// Reads the count of a list, and checks that the bytes of its items exist.
    pub(super) fn count(&mut self, item_size: usize, what: &'static str) -> Result<usize, WireError> {
        let count = self.u32(what)? as usize;
        let (at, needed, left) = (self.at, count.saturating_mul(item_size), self.left());
        if needed > left { Err(WireError::Truncated { at, what, needed, left }) } else { Ok(count) }
    }

    /// Reads a text, cut after `most` bytes or [`MAX_LINES`] lines. A cut text ends with a note.
    pub(super) fn text(&mut self, what: &'static str, most: usize) -> Result<String, WireError> {
        let length = self.count(1, what)?;
        let at = self.at;
        let bytes = self.pass(length, what)?;
        let start = &bytes[..bytes.len().min(most)];
        let start = match std::str::from_utf8(start) {
            Ok(start) => start,
            // The cut is inside a character.
            Err(error) if error.error_len().is_none() && start.len() < length => {
                std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(_) => return Err(WireError::NotUtf8 { at, what }),
        };
        let end = start.match_indices('\n').nth(MAX_LINES - 1).map_or(start.len(), |(end, _)| end);
        Ok(match &start[..end] {
            whole if whole.len() == length => whole.to_owned(),
            cut => format!("{cut} … (cut; {length} bytes in all)"),
        })
    }

    fn dims(&mut self, most: usize) -> Result<Vec<usize>, WireError> {
        let rank = self.count(8, "list of dims")?;
        if rank > most {
            return Err(WireError::Code { at: self.at - 4, what: "rank of a result", code: rank as u64 });
        }
        let dim = |_| {
            let code = self.u64("dim")?;
            usize::try_from(code).map_err(|_| WireError::Code { at: self.at - 8, what: "dim", code })
        };
        (0..rank).map(dim).collect()
    }

    pub(super) fn dtype(&mut self) -> Result<Dtype, WireError> {
        let code = self.u8("dtype")?;
        Dtype::ALL.into_iter().find(|&dtype| dtype_code(dtype) == code).ok_or(self.code("dtype", code))
    }

    pub(super) fn tensor(&mut self) -> Result<Tensor, WireError> {
        let (dtype, shape) = (self.dtype()?, self.dims(usize::MAX)?);
        self.elements(dtype, &shape)
    }

    /// Reads a result, without its elements if they exceed the bound.
    pub(super) fn result(&mut self, bound: ResultBound) -> Result<Reply, WireError> {
        let (dtype, shape) = (self.dtype()?, self.dims(bound.rank)?);
        if self.count_of(&shape)? <= bound.elements {
            return Ok(Reply::Answer(Answer::Tensor(self.elements(dtype, &shape)?)));
        }
        self.pass(self.count_of(&shape)? * dtype.size(), "elements")?;
        Ok(Reply::Oversized { dtype, shape })
    }

    fn count_of(&self, shape: &[usize]) -> Result<usize, WireError> {
        element_count(shape).map_err(|error| WireError::Tensor { at: self.at, source: error.into() })
    }

    fn elements(&mut self, dtype: Dtype, shape: &[usize]) -> Result<Tensor, WireError> {
        let (at, size) = (self.at, self.count_of(shape)? * dtype.size());
        let elements = self.take(size, "elements")?;
        bytes::tensor(dtype, shape, elements).map_err(|source| WireError::Tensor { at, source })
    }

    pub(super) fn axes(&mut self) -> Result<Axes, WireError> {
        match self.u8("axes")? {
            0 => Ok(Axes::Absent),
            1 => Ok(Axes::Null),
            form @ 2..=3 => {
                let (dtype, shape) = (self.dtype()?, self.dims(usize::MAX)?);
                let count = self.count(16, "list of axes")?;
                let value = |_| self.array("axis").map(i128::from_le_bytes);
                let values = (0..count).map(value).collect::<Result<_, _>>()?;
                let axes = AxesTensor { dtype, shape, values };
                Ok(if form == 2 { Axes::Given(axes) } else { Axes::OtherForm(axes) })
            }
            code => Err(self.code("form of axes", code)),
        }
    }

    /// Reads a layout other than row-major.
    pub(super) fn layout(&mut self) -> Result<Layout, WireError> {
        let code = self.u8("layout")?;
        let layout = Layout::UNUSUAL.into_iter().find(|&layout| layout_code(layout) == code);
        layout.ok_or(self.code("layout", code))
    }

    pub(super) fn operator(&mut self) -> Result<Operator, WireError> {
        match self.u8("operator")? {
            1 => Ok(Operator::OpenVino { norm: self.norm()?, keep_dims: self.keep_dims("keep_dims")? }),
            2 => Ok(Operator::Onnx {
                norm: self.norm()?,
                opset: self.opset()?,
                keepdims: self.optional_int("keepdims")?,
                noop_with_empty_axes: self.optional_int("noop_with_empty_axes")?,
            }),
            3 => Ok(Operator::Bnns { output_shape: self.dims(usize::MAX)? }),
            4 => Ok(Operator::ArrayApi { ord: self.ord()?, keepdims: self.keep_dims("keepdims")? }),
            5 => {
                Ok(Operator::WebNn { norm: self.norm()?, keep_dimensions: self.keep_dims("keepDimensions")? })
            }
            6 => Ok(Operator::Blas {
                norm: self.norm()?,
                n: self.array("n").map(i32::from_le_bytes)?,
                incx: self.array("incx").map(i32::from_le_bytes)?,
            }),
            code => Err(self.code("operator", code)),
        }
    }

    pub(super) fn claim(&mut self) -> Result<Claim, WireError> {
        let code = self.u8("family")?;
        let claims = [Extent::InFull, Extent::ValuesAlone]
            .into_iter()
            .flat_map(|extent| Family::ALL.map(|family| Claim { family, extent }));
        let known = claims.into_iter().find(|&claim| claim_code(claim) == code);
        known.ok_or_else(|| self.code("family", code))
    }

    fn norm(&mut self) -> Result<Norm, WireError> {
        match self.u8("norm")? {
            1 => Ok(Norm::L1),
            2 => Ok(Norm::L2),
            3 => Ok(Norm::SumSquare),
            4 => Ok(Norm::Sum),
            code => Err(self.code("norm", code)),
        }
    }

    fn opset(&mut self) -> Result<Opset, WireError> {
        let number = self.u8("opset")?;
        let known = Opset::ALL.into_iter().find(|opset| opset.number() == number);
        known.ok_or_else(|| self.code("opset", number))
    }

    fn ord(&mut self) -> Result<Option<Norm>, WireError> {
        match self.u8("ord")? {
            0 => Ok(None),
            1 => Ok(Some(Norm::L1)),
            2 => Ok(Some(Norm::L2)),
            code => Err(self.code("ord", code)),
        }
    }

    fn keep_dims(&mut self, what: &'static str) -> Result<Option<bool>, WireError> {
        match self.u8(what)? {
            0 => Ok(None),
            1 => Ok(Some(false)),
            2 => Ok(Some(true)),
            code => Err(self.code(what, code)),
        }
    }

    fn optional_int(&mut self, what: &'static str) -> Result<Option<i64>, WireError> {
        match self.u8(what)? {
            0 => Ok(None),
            1 => self.array(what).map(|bytes| Some(i64::from_le_bytes(bytes))),
            code => Err(self.code(what, code)),
        }
    }

    /// Returns the error for the byte just read, which is not a valid `what`.
    pub(super) fn code(&self, what: &'static str, code: u8) -> WireError {
        WireError::Code { at: self.at - 1, what, code: code.into() }
    }

    pub(super) fn end(&self) -> Result<(), WireError> {
        match self.left() {
            0 => Ok(()),
            left => Err(WireError::Trailing { at: self.at, left }),
        }
    }
}
