import type { Random } from './random.ts'

const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e21,
  2 ** 53,
  -0,
  '',
  ' ',
  'a',
  'x'.repeat(300),
  '__proto__',
  '../../etc/passwd',
  'a\0b',
  '\ud800',
  '\n',
  '*',
  '2.0',
  [],
  {},
  [[]],
  { a: 1 },
  [null],
  'constructor',
  '1970-01-01T00:00:00.000Z',
  '9999-99-99',
  4294967295,
  2147483648,
]

type JsonRecord = Record<string, unknown>

/** Changes one value of a JSON text; undefined if the text is not JSON. */
export function mutateJson(
  text: string,
  random: Random,
  words: readonly Buffer[],
): string | undefined {
  let root: { value: unknown }
  try {
    root = { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
  for (let left = 1 + random.below(3); left > 0; left--) changeOne(root, random, words)
  return JSON.stringify(root.value)
}

function changeOne(root: JsonRecord, random: Random, words: readonly Buffer[]): void {
  const places = listPlaces(root)
  const { holder, key } = random.pick(places)
  const donor = random.pick(places)
  const action = random.below(6)
  if (action === 0 && holder !== root) deleteMember(holder, key)
  else if (action === 1) setMember(holder, key, structuredClone(donor.holder[donor.key]))
  else if (action === 2) addMember(holder[key], random, words)
  else setMember(holder, key, pickValue(random, words))
}

function pickValue(random: Random, words: readonly Buffer[]): unknown {
  if (words.length > 0 && random.isOneIn(2)) return random.pick(words).toString()
  return structuredClone(random.pick(VALUES))
}

function addMember(value: unknown, random: Random, words: readonly Buffer[]): void {
  if (Array.isArray(value)) value.push(pickValue(random, words))
  else if (typeof value === 'object' && value !== null) {
    const key = String(pickValue(random, words))
    setMember(value as JsonRecord, key, pickValue(random, words))
  }
}

/** `__proto__` becomes a member of its own, as in parsed JSON. */
function setMember(holder: JsonRecord, key: string, value: unknown): void {
  Object.defineProperty(holder, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

function deleteMember(holder: JsonRecord, key: string): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

interface JsonPlace {
  holder: JsonRecord
  key: string
}

function listPlaces(root: JsonRecord): JsonPlace[] {
  const places: JsonPlace[] = [{ holder: root, key: 'value' }]
  for (let at = 0; at < places.length && places.length < 2000; at++) {
    const { holder, key } = places[at] as JsonPlace
    const value = holder[key]
    if (typeof value !== 'object' || value === null) continue
    for (const name of Object.keys(value)) places.push({ holder: value as JsonRecord, key: name })
  }
  return places
}
