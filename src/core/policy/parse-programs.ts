import { formatManifestValue } from '../skills/manifest/non-finite.ts'
import { findSharedOwners, parseNetworkEntry } from '../skills/manifest/network-entry.ts'
import type { TomlSource } from '../skills/manifest/source.ts'
import type { ProgramNetwork } from './policy.ts'
import { createPolicyError, formatPolicyLocation, type PolicyPath } from './policy-error.ts'
import { PROGRAMS_FIELDS, PROGRAMS_WHEN_FIELDS } from './policy-fields.ts'
import { readPolicyTable } from './read-table.ts'

/** Parses the tables of `[[programs]]`: the destinations that programs may reach. */
export function parsePrograms(toml: TomlSource): ProgramNetwork[] {
  const { programs = [] } = toml.data
  if (!Array.isArray(programs)) {
    const message = `"programs" is ${formatManifestValue(programs)}, expected a list of tables`
    const hint = 'Write each as [[programs]]'
    throw createPolicyError(toml, { path: ['programs'] }, { message, hint })
  }
  return programs.map((_, at) => readProgramNetwork(toml, ['programs', at]))
}

function readProgramNetwork(toml: TomlSource, path: PolicyPath): ProgramNetwork {
  const values = readPolicyTable(toml, { path, fields: PROGRAMS_FIELDS, inner: ['when'] })
  const { name, network = [] } = values
  if (name === undefined) {
    const hint = 'Add name = "…": records refer to it'
    throw createPolicyError(toml, { path }, { message: '[[programs]] has no name', hint })
  }
  if (network.length === 0) {
    const message = `"${name}" opens no destination`
    const hint = 'Add network = ["https://…"]'
    throw createPolicyError(toml, { path }, { message, hint })
  }
  for (const [at, entry] of network.entries())
    checkDestination(toml, entry, [...path, 'network', at])
  const when = readPolicyTable(toml, { path: [...path, 'when'], fields: PROGRAMS_WHEN_FIELDS })
  return { name, network, when, locate: () => formatPolicyLocation(toml, path) }
}

/** A pattern for all hosts may be denied, but not opened. */
function checkDestination(toml: TomlSource, entry: string, path: PolicyPath): void {
  const parsed = parseNetworkEntry(entry)
  const problem = 'problem' in parsed ? parsed.problem : findSharedOwners(parsed)
  if (problem === undefined) return
  const message = `"${entry}" cannot be opened: ${problem}`
  throw createPolicyError(toml, { path }, { message, hint: 'List the hosts that programs need' })
}
