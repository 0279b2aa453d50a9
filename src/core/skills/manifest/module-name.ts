const KEYWORDS = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)

/** The first part of a skill's name that Python cannot import as a module. */
export function findUnimportablePart(name: string): string | undefined {
  return name.split('.').find((part) => KEYWORDS.has(part) || /^\d/.test(part))
}
