"""opwright clean: what dead jobs left goes; what a job uses, a user asked to keep, or anybody else made stays."""
import fcntl
import os
import subprocess
import time

from conftest import ADD, CLI, REFERENCE


def make(folder, old=True):
    folder.mkdir(parents=True)
    (folder / "文件 a").write_text("x")
    (folder / "link").symlink_to("/etc")
    if old:
        os.utime(folder, (time.time() - 3600,) * 2)
    return folder


def test_what_goes_and_what_stays(store):
    tmp = store.tmp / "临时 tmp"
    goes = [make(tmp / n) for n in ("opwright.Ab1Cd2", "opwright-job.000000", "opwright-cann-.xYz123")]
    stays = [make(tmp / n) for n in ("opwright", "opwright-data", "opwright.toolong1", "my-opwright.Ab1Cd2", "opwright_x.Ab1Cd2", "opwrights.Ab1Cd2",
                                     "opwright-build.Ab1Cd2", "opwright-a.b.Ab1Cd2")]
    stays.append(make(tmp / "opwright.young1", old=False))
    (tmp / "opwright.filexx").write_text("")
    (tmp / "opwright.linkxx").symlink_to(stays[0])
    env = {"TMPDIR": str(tmp), "ASCEND_SKILL_ROOT": ""}
    assert "3 folders would be removed" in store.run("clean", "--dry_run", env=env).stdout and all(p.exists() for p in goes)
    out = store.run("clean", "--verbose", env=env).stdout
    assert not any(p.exists() for p in goes) and all((p / "文件 a").exists() for p in stays)
    assert "young1: used a moment ago" in out and "a kept build" in out and (tmp / "opwright.filexx").exists() and (tmp / "opwright.linkxx").is_symlink()
    store.run("clean", "--builds", env=env)
    assert not (tmp / "opwright-build.Ab1Cd2").exists()


def test_in_use(store):
    tmp = store.tmp / "t"
    locked, open_file, working = (make(tmp / f"opwright.{n}") for n in ("locked", "opened", "cwdcwd"))
    fd = os.open(locked, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_SH)
    env = {"TMPDIR": str(tmp)}
    with open(open_file / "文件 a"), subprocess.Popen(["sleep", "600"], cwd=working) as sleeper:
        out = store.run("clean", "--verbose", env=env).stdout
        assert out.count("in use") == 3 and "0 folders removed" in out
        sleeper.kill()
    os.close(fd)
    assert "3 folders removed" in store.run("clean", env=env).stdout


def test_beside_a_running_job(store):
    """A job whose folders look old is not disturbed; one that was killed leaves its folders to clean."""
    tmp = store.tmp / "t"
    tmp.mkdir()
    env = {**store.env, "TMPDIR": str(tmp), "OPWRIGHT_CAGE": "filter"}
    code = store.write("k.py", f"import time\nwhile not __import__('os').path.exists({str(store.tmp / 'go')!r}): time.sleep(0.05)\n" + ADD.read_text(encoding="utf-8"))
    command = [CLI, "verify", "--op", "add", "--reference_path", str(REFERENCE), "--kernel_code_path", str(code), "--local", "--quiet", "--result_json_path", str(store.tmp / "r.json")]

    def start():
        job = subprocess.Popen(command, env=env, cwd=store.tmp, stdout=subprocess.PIPE, text=True)
        while not list(tmp.glob("opwright.*/job.*")):
            assert job.poll() is None
            time.sleep(0.02)
        for folder in tmp.glob("opwright*"):
            os.utime(folder, (time.time() - 3600,) * 2)
        return job

    job = start()
    assert "0 folders removed" in store.run("clean", env=env).stdout
    (store.tmp / "go").write_text("")
    assert job.communicate()[0].startswith("PASS") and not list(tmp.glob("opwright*"))

    (store.tmp / "go").unlink()
    job = start()
    job.kill()
    job.communicate()
    (folder,) = tmp.glob("opwright*")
    while "1 folder removed" not in store.run("clean", env=env).stdout:  # its worker notices a moment later
        os.utime(folder, (time.time() - 3600,) * 2)
        time.sleep(0.05)
    assert not list(tmp.glob("opwright*"))


def test_the_skills_folders(store):
    place = store.root / "scripts/multi-kernel-bench/tmp"
    add, relu = make(place / "add_custom_x1"), make(place / "relu_custom_x2")
    (place / "notes.txt").write_text("mine")
    env = {"TMPDIR": str(store.tmp)}
    store.run("clean", "--op", "add", env=env)
    assert not add.exists() and relu.exists()
    store.run("clean", "--skill_root", store.root, "--ignore_missing", env={**env, "ASCEND_SKILL_ROOT": "/nowhere"})
    assert not relu.exists() and (place / "notes.txt").read_text() == "mine"
    store.run("clean", "--skill_root", store.tmp / "none", env=env)
    assert "cannot be an operator's name" in store.run("clean", "--op", "../x", env=env, status=2).stderr
