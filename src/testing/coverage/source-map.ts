/** A place of the generated code, and the place of the source that it comes from; all from 0. */
interface MappedPlace {
  line: number
  column: number
  sourceLine: number
  sourceColumn: number
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Decodes the mappings of a source map with one source. Unknown characters end the list. */
export function decodeMappings(mappings: string): MappedPlace[] {
  const places: MappedPlace[] = []
  let [sourceLine, sourceColumn] = [0, 0]
  for (const [line, text] of mappings.split(';').entries()) {
    let column = 0
    for (const segment of text === '' ? [] : text.split(',')) {
      const [generated, , lines, columns] = decodeNumbers(segment)
      if (generated === undefined) return places
      column += generated
      if (lines === undefined || columns === undefined) continue
      sourceLine += lines
      sourceColumn += columns
      places.push({ line, column, sourceLine, sourceColumn })
    }
  }
  return places
}

function decodeNumbers(segment: string): number[] {
  const numbers: number[] = []
  let [value, shift] = [0, 0]
  for (const character of segment) {
    const digit = DIGITS.indexOf(character)
    if (digit === -1 || shift > 25) return []
    value += (digit & 31) << shift
    shift += 5
    if ((digit & 32) === 0) {
      numbers.push(value & 1 ? -(value >> 1) : value >> 1)
      value = shift = 0
    }
  }
  return numbers
}
