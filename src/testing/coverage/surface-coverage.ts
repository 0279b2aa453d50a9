import { isDeepStrictEqual } from 'node:util'
import { listExampleCalls } from '../../core/lint/examples/example-calls.ts'
import type { ExampleCall } from '../../core/lint/examples/example-call.ts'
import type { LintedSkill } from '../../core/lint/rule.ts'
import type { NetworkDecision } from '../../core/sandbox/egress/decision.ts'
import type { Manifest, Plain, PlainObject } from '../../core/skills/manifest/manifest.ts'
import { parseNetworkEntry } from '../../core/skills/manifest/network-entry.ts'
import type { SurfaceItem } from './coverage-report.ts'

/** Facts about one run of a case. */
export interface UsedSurface {
  /** Arguments of each call of the skill's function. */
  calls: readonly PlainObject[]
  secrets: readonly string[]
  network: readonly NetworkDecision[]
  /** True if the run did not succeed. */
  isFailed: boolean
}

/** Lists the interface that a skill declares and documents, and which parts the cases used. */
export function computeSurfaceCoverage(
  skill: Pick<LintedSkill, 'manifest' | 'markdown'>,
  cases: readonly UsedSurface[],
): SurfaceItem[] {
  const { manifest } = skill
  const calls = cases.flatMap((each) => each.calls)
  const isUsed = (test: (each: UsedSurface) => boolean) => cases.some(test)
  return [
    ...listInputs(manifest, calls),
    ...manifest.permissions.network.map((name): SurfaceItem => {
      const isCovered = isUsed(({ network }) => network.some((each) => fitsEntry(each, name)))
      return { kind: 'host', name, isCovered }
    }),
    ...manifest.permissions.secrets.map((name): SurfaceItem => {
      return { kind: 'secret', name, isCovered: isUsed(({ secrets }) => secrets.includes(name)) }
    }),
    ...listExampleCalls(skill as LintedSkill)
      .filter(({ isPartial }) => !isPartial)
      .map((example): SurfaceItem => {
        const isCovered = calls.some((args) => fitsExample(args, example))
        return { kind: 'example', name: describeExample(example), isCovered }
      }),
    ...(manifest.runtime
      ? [
          {
            kind: 'error' as const,
            name: 'a run that fails',
            isCovered: isUsed(({ isFailed }) => isFailed),
          },
        ]
      : []),
  ]
}

function listInputs({ inputs }: Manifest, calls: readonly PlainObject[]): SurfaceItem[] {
  return Object.entries(inputs).flatMap(([name, input]) => {
    const isCovered = calls.some((args) => Object.hasOwn(args, name))
    const values = (input.enum ?? []).map((value): SurfaceItem => {
      const used = (args: PlainObject) =>
        Object.hasOwn(args, name) ? args[name] : (input.default ?? null)
      return {
        kind: 'enum value',
        name: `${name} = ${JSON.stringify(value)}`,
        isCovered: calls.some((args) => isDeepStrictEqual(used(args), value)),
      }
    })
    return [{ kind: 'input' as const, name, isCovered }, ...values]
  })
}

function fitsEntry({ host, port, scheme }: NetworkDecision, text: string): boolean {
  const entry = parseNetworkEntry(text)
  if ('problem' in entry || host === null) return false
  const isHost = entry.wildcard ? host.endsWith(`.${entry.host}`) : host === entry.host
  return isHost && (port === null || port === entry.port) && (scheme ?? entry.scheme) === entry.scheme
}

/** Arguments in a command line are texts; the value of a case may have another type. */
function fitsExample(args: PlainObject, example: ExampleCall): boolean {
  return example.arguments.every(({ name, text, isJson }) => {
    if (!Object.hasOwn(args, name)) return false
    if (text === undefined) return true
    const value = args[name] ?? null
    if (!isJson && value === text) return true
    return isDeepStrictEqual(copyToPlainObjects(value), parseExampleValue(text))
  })
}

function parseExampleValue(text: string): Plain | undefined {
  try {
    return JSON.parse(text) as Plain
  } catch {
    return undefined
  }
}

/** Values of parsed files have no prototype. */
function copyToPlainObjects(value: Plain): Plain {
  return JSON.parse(JSON.stringify(value)) as Plain
}

function describeExample({ arguments: values }: ExampleCall): string {
  const words = values.map(({ name, text }) => (text === undefined ? name : `${name}=${text}`))
  return words.length === 0 ? 'a call without arguments' : words.join(' ')
}
