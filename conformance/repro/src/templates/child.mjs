if (process.argv[2] === "--here") main();
// When this script was written, @WHY@.
for (let run = 1; run <= @MOST@; run += 1) {
  const script = fileURLToPath(import.meta.url);
  const { status, signal } = spawnSync(process.execPath, [script, "--here"], { stdio: "inherit", timeout: 60_000 });
  if (status !== 0 && status !== 1) {
    console.log(`came   nothing: the process ended with ${status ?? signal}`);
    finish(false);
  }
  if (status === 1 || run === @MOST@) process.exit(status);
}
