"""Creates the files that a run has at its start, with the user of its code."""
import binascii
import os


def create_files(job):
    """Creates folders and files. Errors are ignored: the program reports what is missing."""
    for folder in job["make"]:
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError:
            pass
    for path, text, is_program, is_base64 in job["write"]:
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o755 if is_program else 0o644)
            with open(fd, "wb") as file:
                file.write(binascii.a2b_base64(text) if is_base64 else text.encode("utf-8"))
        except OSError:
            pass
