/** The exit status of the call in a process of its own. */
function alone() {
  const script = fileURLToPath(import.meta.url);
  const { status, signal } = spawnSync(process.execPath, [script, "--here"], { stdio: "inherit", timeout: 60_000 });
  return status ?? signal;
}

if (process.argv[2] === "--here") main();
// When this script was written, @WHY@.
@STATUS@
if (status !== 0 && status !== 1) {
  console.log(`came   nothing: the process ended with ${status}`);
  finish(false);
}
process.exit(status);
