/** Of every guest: nothing of the host's environment or packages is looked at, nothing compiled kept. */
export const PYTHON_FLAGS: readonly string[] = ['-I', '-S', '-B', '-X', 'utf8']
