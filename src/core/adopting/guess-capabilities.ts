import { listAllCodeUses, type CodeUse } from '../lint/code/code-uses.ts'
import { openCodeParsers } from '../lint/code/code-parsers.ts'
import { isOwnMachine, toNetworkEntry } from '../lint/code/network-origin.ts'
import { findSecretPlaces } from '../lint/code/secret-sinks.ts'
import { loadSkills } from '../lint/load-skill.ts'
import type { LintedSkill } from '../lint/rule.ts'
import { isPrivateHost, parseNetworkEntry } from '../skills/manifest/network-entry.ts'
import { findSecretNameProblem } from '../skills/manifest/secret-name.ts'
import type { SkillSource } from '../skills/manifest/source.ts'
import { LineIndex } from '../../util/line-index.ts'
import { guessPackages } from './guess-packages.ts'
import type { GuessedCapability } from './guessed-capability.ts'
import type { AdoptedScript, ReadContext } from './read-scripts.ts'
import { cleanText, type Certainty } from './script-interface.ts'

const SECRET_WORD =
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PAT|CREDENTIALS?|AUTH|DSN)(?:_|$)/
const URL_NAME = /(?:^|_|\b)(?:base|api|url|uri|endpoint|host|server)/i
const MAX_GUESSES = 100

/** Rights that the code of a skill seems to need, with their places; nothing is executed. */
export async function guessCapabilities(
  source: SkillSource,
  scripts: readonly AdoptedScript[],
  context: ReadContext,
): Promise<GuessedCapability[]> {
  const skill = await loadDetached(source, context)
  const guesses = skill
    ? [
        ...listAllCodeUses(skill).flatMap((use) => guessFromUse(use, source.read(use.file) ?? '')),
        ...guessPackages(skill, scripts),
      ]
    : []
  for (const { path, program, interface: found } of scripts) {
    guesses.push(
      ...guessStarted(path, program, found.programs),
      ...guessWritten(path, found.writes),
    )
  }
  const merged = mergeGuesses(guesses)
  return skill ? merged.map((each) => addSecretUse(each, merged, skill)) : merged
}

/** Code that sends a secret to the only host needs no value in the sandbox. */
function addSecretUse(
  guess: GuessedCapability,
  all: readonly GuessedCapability[],
  skill: LintedSkill,
): GuessedCapability {
  const hosts = all.flatMap(({ kind, value, allowed }) =>
    kind === 'host' && allowed ? [value] : [],
  )
  if (guess.kind !== 'secret' || hosts.length !== 1) return guess
  const texts = listAllCodeUses(skill).map(({ file }) => skill.read(file) ?? '')
  const places = findSecretPlaces(texts, guess.value)
  return places ? { ...guess, use: { hosts, in: places } } : guess
}

async function loadDetached(
  source: SkillSource,
  { parser }: ReadContext,
): Promise<LintedSkill | undefined> {
  const [loaded] = await loadSkills([{ dir: source.dir, source }], {
    python: parser,
    code: openCodeParsers(),
    profiles: [],
    requestedProfiles: [],
    roots: [],
    toPrintedPath: (path) => path,
  })
  return loaded && 'skill' in loaded ? loaded.skill : undefined
}

function guessFromUse(use: CodeUse, text: string): GuessedCapability[] {
  const lines = new LineIndex(text)
  const placeAt = (offset: number) => `${use.file}:${lines.positionAt(offset).line}`
  const hosts = use.requests.flatMap(({ origin, span, call }) =>
    guessHost(origin, {
      certainty: 'certain',
      place: placeAt(span.start),
      reason: `${call} sends a request`,
    }),
  )
  const named = use.strings.flatMap(({ value, target, span }) => {
    const origin = /^(?:https?|wss?):\/\/[^\s/?#\\"'`{}<>$]+/i.exec(value)?.[0]
    const isBase = target !== null && URL_NAME.test(target) && use.network !== undefined
    const certainty = isBase ? ('likely' as const) : ('possible' as const)
    const reason = isBase
      ? 'an address in a constant of a file that uses the network'
      : 'an address in a text'
    return guessHost(origin, { certainty, place: placeAt(span.start), reason })
  })
  const secrets = use.environment.map(({ name, span }) => guessSecret(name, placeAt(span.start)))
  return [...hosts, ...named, ...secrets.filter((each) => each !== undefined)]
}

function guessHost(
  origin: string | undefined,
  { certainty, place, reason }: Pick<GuessedCapability, 'certainty' | 'place' | 'reason'>,
): GuessedCapability[] {
  const entry = toNetworkEntry(origin)
  if (entry === undefined || isOwnMachine(origin)) return []
  const parsed = parseNetworkEntry(entry)
  if ('problem' in parsed || parsed.wildcard) return []
  const isExample = /(?:^|\.)example(?:\.(?:com|org|net))?$|\.(?:example|invalid|test)$/.test(
    parsed.host,
  )
  // A host of a private network, and one over plain HTTP, are decisions of the user.
  const isOpen =
    certainty !== 'possible' &&
    !isPrivateHost(parsed.host) &&
    parsed.scheme === 'https' &&
    !isExample
  return [{ kind: 'host', value: entry.toLowerCase(), certainty, place, reason, allowed: isOpen }]
}

function guessSecret(name: string, place: string): GuessedCapability | undefined {
  if (findSecretNameProblem(name) !== undefined) return undefined
  const isSecret = SECRET_WORD.test(name)
  return {
    kind: 'secret',
    value: name,
    certainty: isSecret ? 'likely' : 'possible',
    place,
    allowed: isSecret,
    reason: isSecret
      ? 'an environment variable with the name of a secret'
      : 'an environment variable',
  }
}

function guessStarted(
  path: string,
  own: string,
  programs: AdoptedScript['interface']['programs'],
): GuessedCapability[] {
  return programs.flatMap(({ name, line }) =>
    name === own
      ? []
      : [
          {
            kind: 'program' as const,
            value: name === null ? '(computed)' : cleanText(name, 80),
            certainty: name === null ? ('possible' as const) : ('certain' as const),
            place: `${path}:${line}`,
            allowed: false,
            reason: 'the script starts it; the sandbox must have it',
          },
        ],
  )
}

function guessWritten(
  path: string,
  writes: AdoptedScript['interface']['writes'],
): GuessedCapability[] {
  return writes.map(({ name, line }) => ({
    kind: 'file' as const,
    value: name === null ? '(computed)' : cleanText(name, 120),
    certainty: name === null ? ('possible' as const) : ('certain' as const),
    place: `${path}:${line}`,
    allowed: false,
    reason: 'the script writes it; a run can write below its own folder only',
  }))
}

const ORDER: readonly Certainty[] = ['certain', 'likely', 'possible']

/** One guess per value: the surest, in the order of kinds and values. */
function mergeGuesses(guesses: readonly GuessedCapability[]): GuessedCapability[] {
  const byKey = new Map<string, GuessedCapability>()
  for (const each of guesses) {
    const key = `${each.kind} ${each.value}`
    const other = byKey.get(key)
    if (!other || ORDER.indexOf(each.certainty) < ORDER.indexOf(other.certainty))
      byKey.set(key, each)
  }
  return [...byKey.keys()]
    .toSorted()
    .slice(0, MAX_GUESSES)
    .map((key) => byKey.get(key) as GuessedCapability)
}
