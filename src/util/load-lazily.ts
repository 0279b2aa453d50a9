/**
 * Runs a loader on first use and caches its result. Later calls return it synchronously: importing
 * a loaded module again takes as long as reading a small file.
 */
export function loadLazily<T>(load: () => Promise<T>): () => T | Promise<T> {
  let loaded: T | undefined
  return () => loaded ?? load().then((own) => (loaded = own))
}
