//! Reads the claim of a case about its answer: one form of `expect`, or one for every reading of a question.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::{Dtype, Question, Reading};

use super::budget::Purse;
use super::elements::{count, fills, numbers, one, row_major, shortened, sparse};
use super::error::Problem;
use super::format::{Expect, Listed, Number, Stated};
use super::names::{FORMS, well_formed};
use super::number::{self, NumberError};
use super::{CaseClaim, Statement, TensorStatement};
use crate::display::joined;
use crate::judge::accuracy::whole::FEWEST_OUTPUTS;

/// A form that states the answer.
enum Form<'a> {
    Values(&'a [Number]),
    Roots(&'a [Number]),
    Repeat(&'a Number),
    Reference,
    Unchanged,
    Rejected(&'a str),
    Outside(&'a str),
}

impl<'a> Form<'a> {
    /// Returns the only form of `expect`; fields of another form are errors. A reading may have a shape beside it.
    fn of(path: &str, expect: &'a Expect, reading_of: Option<&Expect>) -> Result<Self, Problem> {
        let forms = [
            expect.values.as_deref().map(Form::Values),
            expect.roots.as_deref().map(Form::Roots),
            expect.repeat.as_ref().map(Form::Repeat),
            expect.reference.map(|_| Form::Reference),
            expect.unchanged.map(|_| Form::Unchanged),
            expect.rejected.as_deref().map(Form::Rejected),
            expect.outside.as_deref().map(Form::Outside),
        ];
        let found = forms_of(expect);
        let ([name], Some(form)) = (found.as_slice(), forms.into_iter().flatten().next()) else {
            let wanted = if reading_of.is_some() { &FORMS[..FORMS.len() - 1] } else { FORMS };
            return Err(Problem::NotOneForm { field: path.to_owned(), wanted, found });
        };
        no_false_flag(path, expect)?;
        companions(path, expect, name, reading_of)?;
        Ok(form)
    }
}

/// Returns the names of the forms that `expect` has.
fn forms_of(expect: &Expect) -> Vec<&'static str> {
    let there = [
        expect.values.is_some(),
        expect.roots.is_some(),
        expect.repeat.is_some(),
        expect.reference.is_some(),
        expect.unchanged.is_some(),
        expect.rejected.is_some(),
        expect.outside.is_some(),
        expect.open.is_some(),
    ];
    FORMS.iter().zip(there).filter_map(|(&form, there)| there.then_some(form)).collect()
}

fn no_false_flag(path: &str, expect: &Expect) -> Result<(), Problem> {
    for (name, flag) in
        [("reference", expect.reference), ("unbiased", expect.unbiased), ("unchanged", expect.unchanged)]
    {
        if flag == Some(false) {
            return Err(Problem::FalseFlag { field: format!("{path}.{name}") });
        }
    }
    Ok(())
}

/// Checks the fields that may or must accompany a form. The shape of a reading stands beside its question, or in itself.
fn companions(
    path: &str,
    expect: &Expect,
    form: &'static str,
    reading_of: Option<&Expect>,
) -> Result<(), Problem> {
    let tensor = matches!(form, "values" | "roots" | "repeat" | "reference");
    let (reference, open) = (form == "reference", form == "open");
    let own = tensor && reading_of.is_none_or(|outer| outer.shape.is_none());
    //           name        is there                        may be      must be
    let rows = [
        ("shape", expect.shape.is_some(), own || open, own),
        ("printed", expect.printed.is_some(), tensor, false),
        ("at", !expect.at.0.is_empty(), reference, false),
        ("roots_at", !expect.roots_at.0.is_empty(), reference, false),
        ("unbiased", expect.unbiased.is_some(), reference, false),
    ];
    for (name, there, may, must) in rows {
        if there && !may || must && !there {
            let field = format!("{path}.{name}");
            if name == "shape" && tensor && reading_of.is_some() {
                return Err(Problem::ReadingShape { field });
            }
            return Err(Problem::Companion { field, form, missing: !there });
        }
    }
    Ok(())
}

/// The properties of an expansion, besides the file's text, that a claim depends on.
#[derive(Clone, Copy)]
pub(super) struct Claims {
    pub(super) dtype: Dtype,
    /// True if shapes are written with the fastest axis first.
    pub(super) reversed: bool,
    /// True if the data are drawn at random.
    pub(super) drawn: bool,
}

impl Claims {
    /// Returns the claim about the answer for data of one dtype.
    pub(super) fn claim(self, expect: &Expect, purse: &mut Purse) -> Result<CaseClaim, Problem> {
        match &expect.open {
            Some(questions) if forms_of(expect) == ["open"] => self.open(&questions.0, expect, purse),
            _ => self.statement("expect", expect, None, purse).map(CaseClaim::Determined),
        }
    }

    fn open(
        self,
        questions: &[(String, Listed<Stated>)],
        outer: &Expect,
        purse: &mut Purse,
    ) -> Result<CaseClaim, Problem> {
        companions("expect", outer, "open", None)?;
        count("expect.shape", outer.shape.as_deref().unwrap_or(&[]))?;
        // Several names are not the name of a question.
        let (field, name) = ("expect.open", joined(questions.iter().map(|(name, _)| name)));
        let question = Question::from_name(&name)
            .ok_or_else(|| Problem::UnknownQuestion { field, name: shortened(&name) })?;
        let expected = question.readings();
        let given: Vec<&(String, Stated)> = questions.iter().flat_map(|(_, readings)| &readings.0).collect();
        let mut rest = expected.iter();
        let stated: Vec<Reading> = given
            .iter()
            .map_while(|(name, _)| rest.find(|reading| reading.name() == name).copied())
            .collect();
        if stated.len() < 2 || stated.len() < given.len() {
            return Err(Problem::Readings {
                question,
                expected: expected.iter().map(|reading| reading.name()).collect(),
                found: given.iter().map(|(name, _)| shortened(name)).collect(),
            });
        }
        let mut readings: Vec<(Reading, Statement)> = Vec::new();
        for (reading, (name, Stated(expect))) in stated.into_iter().zip(given) {
            let path = format!("expect.open.{question}.{name}");
            readings.push((reading, self.statement(&path, expect, Some(outer), purse)?));
        }
        // The readings have one shape, which stands beside them, or several.
        let shape = |(_, statement): &(_, Statement)| match statement {
            Statement::Tensor(stated) => Some(stated.shape.clone()),
            _ => None,
        };
        let is_one = readings.iter().filter_map(shape).collect::<BTreeSet<_>>().len() == 1;
        if is_one != outer.shape.is_some() {
            return Err(Problem::ReadingShape { field: "expect.shape".to_owned() });
        }
        Ok(CaseClaim::Open { question, readings })
    }

    fn statement(
        self,
        path: &str,
        expect: &Expect,
        reading_of: Option<&Expect>,
        purse: &mut Purse,
    ) -> Result<Statement, Problem> {
        let form = Form::of(path, expect, reading_of)?;
        let beside = reading_of.and_then(|outer| outer.shape.as_deref());
        let shape = expect.shape.as_deref().or(beside).unwrap_or(&[]);
        let needed = count(&format!("{path}.shape"), shape)?;
        let value = |text: &str| number::parse(text, self.dtype);
        let root = |text: &str| number::parse_root(text, self.dtype);
        purse.pay(needed.saturating_add(shape.len()))?;
        let elements = match form {
            Form::Unchanged => return Ok(Statement::Unchanged),
            Form::Rejected(clause) => {
                well_formed("expect.rejected", clause)?;
                return Ok(Statement::Rejected { clause: clause.to_owned() });
            }
            Form::Outside(clause) => {
                well_formed("expect.outside", clause)?;
                return Ok(Statement::Outside { clause: clause.to_owned() });
            }
            Form::Values(values) => enumerated(&format!("{path}.values"), values, needed, value)?,
            Form::Roots(values) => enumerated(&format!("{path}.roots"), values, needed, root)?,
            Form::Repeat(text) => {
                let bits = one(&format!("{path}.repeat"), text, value)?;
                (0..needed).map(|index| (index, bits)).collect()
            }
            Form::Reference => {
                let at = sparse(&format!("{path}.at"), &expect.at, needed, value)?;
                let roots = sparse(&format!("{path}.roots_at"), &expect.roots_at, needed, root)?;
                let mut elements: BTreeMap<usize, u64> = at.into_iter().collect();
                for (index, bits) in roots {
                    if elements.insert(index, bits).is_some() {
                        let name = index.to_string();
                        return Err(Problem::Repeated { field: "expect.roots_at", name });
                    }
                }
                elements.into_iter().collect()
            }
        };
        let unbiased = expect.unbiased.is_some();
        if unbiased && (self.dtype.is_integer() || !self.drawn || needed < FEWEST_OUTPUTS) {
            return Err(Problem::Unbiased { field: format!("{path}.unbiased") });
        }
        let field = format!("{path}.printed");
        let printed = match &expect.printed {
            Some(printed) => {
                fills(&field, needed, printed.len())?;
                purse.pay(needed)?;
                numbers(&field, printed, finite)?.into_iter().map(f64::from_bits).collect()
            }
            None => Vec::new(),
        };
        let shape = row_major(shape, self.reversed);
        Ok(Statement::Tensor(TensorStatement { shape, elements, printed, unbiased }))
    }
}

/// Returns all elements of a shape, each with its flat index.
fn enumerated(
    field: &str,
    values: &[Number],
    needed: usize,
    read: impl Fn(&str) -> Result<u64, NumberError>,
) -> Result<Vec<(usize, u64)>, Problem> {
    fills(field, needed, values.len())?;
    Ok(numbers(field, values, read)?.into_iter().enumerate().collect())
}

/// Reads a printed number as an f64.
fn finite(text: &str) -> Result<u64, NumberError> {
    let bits = number::parse(text, Dtype::F64)?;
    if f64::from_bits(bits).is_finite() { Ok(bits) } else { Err(NumberError::Syntax) }
}
