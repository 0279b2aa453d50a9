/**
 * Returns the first of several encodings that an Accept-Encoding header accepts; undefined if the
 * plain form has to be sent.
 */
export function chooseEncoding(
  header: string | undefined,
  available: Iterable<string>,
): string | undefined {
  const weights = new Map((header ?? '').toLowerCase().split(',').map(parseCoding))
  const others = weights.get('*') ?? 0
  for (const each of available) if ((weights.get(each) ?? others) > 0) return each
  return undefined
}

/** Parses `gzip;q=0.5`. An invalid weight rejects the coding, because the plain form is always right. */
function parseCoding(text: string): [name: string, weight: number] {
  const [name = '', ...parameters] = text.split(';').map((each) => each.trim())
  const weight = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1'
  return [name, /^(?:0|1)(?:\.\d{0,3})?$/.test(weight) ? Number(weight) : 0]
}
