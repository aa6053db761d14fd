if __name__ == "__main__":
    if sys.argv[1:] == ["--here"]:
        main()
    # When this script was written, @WHY@.
    for _ in range(@MOST@):
        try:
            status = subprocess.run([sys.executable, __file__, "--here"], timeout=60).returncode
        except subprocess.TimeoutExpired:
            status = "none, for it ran for more than a minute"
        if status != 0:
            break
    if status not in (0, 1):
        print(f"came   nothing: the process ended with status {status}")
        finish(False)
    sys.exit(status)
