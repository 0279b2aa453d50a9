/** The runtime does something else than is demanded. */
export class Broken extends Error {
  override readonly name = 'Broken'
}

/** It cannot be told, for this reason. */
export class Untried extends Error {
  override readonly name = 'Untried'
}

/** Throws Broken unless it is so. */
export function demand(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new Broken(otherwise)
}

/** A value for people, on one line and not too long. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}
