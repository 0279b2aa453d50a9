import { parseSealedJson, sealJson } from '../../../src/util/sealed-json.ts'

/** Gives each line that is a JSON object its checksum, so that the input reaches what reads the object. */
export function sealLines(input: Uint8Array): string {
  return Buffer.from(input)
    .toString('utf8')
    .split('\n')
    .map((line) => sealLine(line))
    .join('\n')
}

function sealLine(line: string): string {
  try {
    parseSealedJson(line)
    return line
  } catch {
    return sealObject(line)
  }
}

function sealObject(line: string): string {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? sealJson(value)
      : line
  } catch {
    return line
  }
}
