const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/

/** True for a version of semver 2.0.0. */
export function isSemver(text: string): boolean {
  return text.length <= 256 && SEMVER.test(text)
}

export function isPrerelease(version: string): boolean {
  return SEMVER.exec(version)?.[4] !== undefined
}

/** Orders versions by precedence. Strings that are not versions sort first, by code units. */
export function compareSemver(a: string, b: string): number {
  const left = SEMVER.exec(a)
  const right = SEMVER.exec(b)
  if (!left || !right) return left ? 1 : right ? -1 : compareVersionText(a, b)
  for (const part of [1, 2, 3]) {
    const order = compareNumbers(left[part] as string, right[part] as string)
    if (order !== 0) return order
  }
  const order = comparePrerelease(left[4], right[4])
  // Build metadata has no precedence; comparing text keeps the order total.
  return order !== 0 ? order : compareVersionText(a, b)
}

function comparePrerelease(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1
  const left = a.split('.')
  const right = b.split('.')
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const order = compareIdentifiers(left[index], right[index])
    if (order !== 0) return order
  }
  return 0
}

function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1
  const numeric = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (numeric[0] && numeric[1]) return compareNumbers(a, b)
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1
  return compareVersionText(a, b)
}

/** Compares decimal strings of any length; a number would lose digits. */
function compareNumbers(a: string, b: string): number {
  return a.length !== b.length ? a.length - b.length : compareVersionText(a, b)
}

function compareVersionText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
