//! A backend that costs next to nothing, so that what is measured is this project.

use normative_conformance::Answer;
use normative_conformance::reference::{Call, Dtype, Norm, Outcome, Tensor, rule};

/// Returns the answer of a plain f32 loop under the first reading.
pub(crate) fn answer(call: &Call) -> Answer {
    let ruling = rule(call);
    let Some(Outcome::Reduce(reduction, _)) = ruling.alternatives.first().map(|first| &first.outcome) else {
        return Answer::Rejected("no reduction".into());
    };
    let shape = reduction.output_shape(call.data.shape());
    let (outputs, terms) = (shape.iter().product::<usize>(), reduction.terms(call.data.shape()));
    let bits = reduction.operand(&call.data).bits_by(&reduction.outer_to_inner(call.data.rank()));
    let results = (0..outputs).map(|output| {
        let run = bits[output * terms..][..terms].iter().map(|&bits| f32::from_bits(bits as u32));
        let norm = match reduction.norm {
            Norm::L1 => run.map(f32::abs).sum::<f32>(),
            Norm::L2 => run.map(|x| x * x).sum::<f32>().sqrt(),
            Norm::SumSquare => run.map(|x| x * x).sum::<f32>(),
            Norm::Sum => run.sum::<f32>(),
        };
        u64::from(norm.to_bits())
    });
    Answer::Tensor(Tensor::from_bits(Dtype::F32, &shape, &results.collect::<Vec<_>>()).unwrap())
}
