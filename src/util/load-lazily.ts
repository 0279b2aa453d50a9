/**
 * Loads something when it is first asked for. Who asks again has it at once: asking Node for a module
 * that is there already takes as long as reading a small file.
 */
export function loadLazily<T>(load: () => Promise<T>): () => T | Promise<T> {
  let loaded: T | undefined
  return () => loaded ?? load().then((own) => (loaded = own))
}
