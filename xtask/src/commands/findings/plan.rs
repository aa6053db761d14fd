//! The plan of `cargo xtask findings`: the releases to ask, and their findings. It depends only on what is
//! installed. Missing releases are listed.

use anyhow::{Context as _, Result, anyhow, bail};
use clap::ArgMatches;

use super::finding::{Finding, Runtime, State};
use super::release::Release;
use normative::backends::{self, SetupState, Wanted};

/// A backend in one release, and the findings to ask.
pub(super) struct Visit<'a> {
    pub(super) runtime: &'a Runtime,
    /// The backend's argument for `--backend`.
    pub(super) argument: String,
    /// The release; `None` for a crate, whose worker reports it.
    pub(super) release: Option<Release>,
    pub(super) findings: Vec<&'a Finding>,
}

/// The releases to ask, and those left out because they are not installed.
#[derive(Default)]
pub(super) struct Plan<'a> {
    pub(super) visits: Vec<Visit<'a>>,
    pub(super) left_out: Vec<String>,
}

/// Makes the plan for every backend of a finding, or for those that the options name.
///
/// # Errors
/// An option names a backend without findings, or a release that is not installed.
pub(super) fn plan<'a>(runtimes: &'a [Runtime], matches: &ArgMatches) -> Result<Plan<'a>> {
    let routes = || {
        runtimes
            .iter()
            .flat_map(|runtime| runtime.routes.iter().map(move |route| (runtime, route.name.as_str())))
    };
    let mut plan = Plan::default();
    let Some(arguments) = matches.get_many::<String>("backend") else {
        for (runtime, name) in routes() {
            plan.add(runtime, name, false)?;
        }
        return Ok(plan);
    };
    for argument in arguments {
        let (name, version) =
            argument.split_once('@').map_or((argument.as_str(), None), |(n, v)| (n, Some(v)));
        let route = routes().find(|(_, route)| *route == name);
        let (runtime, _) = route.with_context(|| {
            let all: Vec<&str> = routes().map(|(_, name)| name).collect();
            format!("no finding is of the backend `{name}`; there are findings of {}", all.join(", "))
        })?;
        match version {
            None => plan.add(runtime, name, true)?,
            Some(version) => {
                if !wanted(name)?.set_up()?.is_some_and(|releases| releases.iter().any(|r| r == version)) {
                    bail!("{argument} is not set up: cargo xtask setup {argument}");
                }
                let release = released(version)?;
                plan.visit(runtime, argument.clone(), Some(release), |finding| finding.backend == name);
            }
        }
    }
    Ok(plan)
}

impl<'a> Plan<'a> {
    /// Adds a backend: its newest installed release, and those in which a mended defect was last seen. A crate is
    /// added only if it is built already or named.
    fn add(&mut self, runtime: &'a Runtime, name: &str, is_named: bool) -> Result<()> {
        // Pre-releases do not parse as releases, so they are skipped.
        let set_up = wanted(name)?.set_up()?;
        let releases =
            set_up.map(|versions| versions.iter().filter_map(|version| version.parse().ok()).collect());
        let releases: Option<Vec<Release>> = releases;
        let newest = releases.as_ref().map(|releases| releases.iter().max());
        let argument = match newest {
            Some(Some(newest)) => format!("{name}@{newest}"),
            Some(None) | None => name.to_owned(),
        };
        if newest == Some(None) || !is_named && wanted(&argument)?.state()? != SetupState::Ready {
            self.left_out.push(name.to_owned());
            return Ok(());
        }
        self.visit(runtime, argument, newest.flatten().cloned(), |finding| finding.backend == name);
        if let Some(releases) = &releases {
            self.add_mended(runtime, name, releases);
        }
        Ok(())
    }

    /// Adds the releases in which a mended defect was last seen, except the newest installed one.
    fn add_mended(&mut self, runtime: &'a Runtime, name: &str, releases: &[Release]) {
        let is_own = |finding: &Finding| finding.backend == name && finding.state == State::Mended;
        let own = runtime.findings.iter().filter(|finding| is_own(finding));
        let mut seen: Vec<&Release> = own.map(|finding| &finding.life.seen).collect();
        seen.sort_unstable_by(|one, other| other.cmp(one));
        seen.dedup();
        for release in seen.into_iter().filter(|release| Some(*release) != releases.iter().max()) {
            let argument = format!("{name}@{release}");
            if releases.contains(release) {
                self.visit(runtime, argument, Some(release.clone()), |finding| {
                    is_own(finding) && finding.life.seen == *release
                });
            } else {
                self.left_out.push(argument);
            }
        }
    }

    fn visit(
        &mut self,
        runtime: &'a Runtime,
        argument: String,
        release: Option<Release>,
        takes: impl Fn(&Finding) -> bool,
    ) {
        let findings = runtime.findings.iter().filter(|finding| takes(finding)).collect();
        self.visits.push(Visit { runtime, argument, release, findings });
    }
}

/// Returns the row of a backend that a finding names.
pub(super) fn wanted(argument: &str) -> Result<Wanted<'_>> {
    backends::find(argument)?.with_context(|| format!("there is no backend `{argument}`"))
}

/// Parses a version as a release.
pub(super) fn released(version: &str) -> Result<Release> {
    version.parse().map_err(|()| anyhow!("expected a release such as 1.27.0, got `{version}`"))
}
