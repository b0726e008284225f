"""What ops.py and warp.py share: packed cubins, digests of what the GPU gave, a run of the emulator."""
import json
import lzma
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def unpack(stem, arch, folder):
    """The path of cubin/STEM.smARCH.cubin.xz, unpacked into the folder."""
    path = os.path.join(folder, f"{stem}.sm{arch}.cubin")
    with lzma.open(os.path.join(HERE, "cubin", f"{stem}.sm{arch}.cubin.xz")) as packed, open(path, "wb") as f:
        f.write(packed.read())
    return path


def golden(stem):
    """{case: SHA-256 of what it saved on the GPU}; that the file is there is part of the test."""
    with open(os.path.join(HERE, "golden", f"h200_{stem}.tsv"), encoding="ascii") as f:
        return dict(line.split("\t")[:2] for line in f.read().splitlines() if line and not line.startswith("#"))


def run(command, launch, cubin):
    """(exit code, the report; where there is none, one whose finding is what the command said)"""
    done = subprocess.run([command, "run", "--launch", launch, "--format", "json", cubin], capture_output=True,
                          text=True, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout else {"assumed": [], "findings": [done.stderr]}
