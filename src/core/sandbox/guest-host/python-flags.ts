/** Flags of every guest: ignore the host's environment and packages, and write no bytecode. */
export const PYTHON_FLAGS: readonly string[] = ['-I', '-S', '-B', '-X', 'utf8']
