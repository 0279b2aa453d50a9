/** Splits `name@version`; the version is undefined if absent. */
export function splitReference(reference: string): [name: string, version: string | undefined] {
  const at = reference.lastIndexOf('@')
  return at > 0 ? [reference.slice(0, at), reference.slice(at + 1)] : [reference, undefined]
}
