import { dirname, join } from 'node:path'
import type { LoadedConfig } from '../../core/config/load-config.ts'
import {
  inspectRoot,
  locateRootPins,
  type FetchedRoot,
} from '../../core/config/roots/resolve-root.ts'
import type { RootPin, RootApproval } from '../../core/config/roots/root-pins.ts'
import { toPinnedSource } from '../../core/config/roots/root-source.ts'
import { isOnePlace } from '../../core/installing/source-identity.ts'
import { prepareRoot, type PreparedRoot } from '../../core/installing/roots/prepare-root.ts'
import {
  removeStagedRoot,
  stageRoot,
  storeRoot,
  updateRootPins,
} from '../../core/installing/roots/store-root.ts'
import { fetchFolder } from '../../core/sources/fetch-source.ts'
import { parseSkillSource, parseRemoteSource } from '../../core/sources/skill-source.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { type CommandLine, getListOption } from '../command.ts'
import type { Context } from '../context.ts'
import { whileFetching } from '../access/while-fetching.ts'
import { findScanProblems } from '../install/scan-skill.ts'
import { formatPlural } from '../../util/quantity.ts'
import { describeRoot } from './describe-root.ts'
import { openRoots, selectRoots } from './open-roots.ts'
import { findTrustSource } from '../../core/signing/trust/source.ts'
import { findMissedThreshold } from '../../core/signing/verify/check-signers.ts'
import { openUserTrust } from '../signing/open-stores.ts'
import { confirmByPrompt } from '../ui/prompts.ts'

/** Result for one root, as in JSON. */
interface RootResult {
  source: string
  resolved: string
  tree: string
  state: 'unchanged' | 'fetched' | 'updated'
  skills: number
}

/** `skills roots fetch` and `skills roots update`: the only commands that download roots. */
export async function runFetchRoots(
  context: Context,
  call: CommandLine,
  { isUpdate }: { isUpdate: boolean },
): Promise<number> {
  const loaded = await openRoots(context)
  const results: RootResult[] = []
  for (const root of selectRoots(loaded, call.args)) {
    results.push(await fetchRoot({ context, call, loaded, isUpdate }, root))
  }
  if (context.global.json) context.document('skills.roots-fetch/v1', { roots: results })
  else context.print(results.map(formatResult).join('\n') || 'No root has to be fetched')
  return 0
}

function formatResult({ state, source, tree, skills }: RootResult): string {
  return `${state} ${toPrintable(source)} ${tree} ${formatPlural(skills, 'skill')}`
}

interface RootFetching {
  context: Context
  call: CommandLine
  loaded: LoadedConfig
  isUpdate: boolean
}

async function fetchRoot(fetching: RootFetching, root: FetchedRoot): Promise<RootResult> {
  const { context, loaded, isUpdate } = fetching
  const dataDir = loaded.config.directories.data
  const { pin, state } = await inspectRoot(root, dataDir)
  if (pin && !isUpdate) {
    if (state === 'verified') return toResult(pin, 'unchanged')
    await restoreRoot(fetching, root, pin)
    return toResult(pin, 'fetched')
  }
  const { prepared, resolved } = await download(context, root, root.source)
  if (pin?.tree === prepared.tree && pin.resolved === resolved && state === 'verified') {
    return toResult(pin, 'unchanged')
  }
  const next = await agreeAndStore(fetching, root, { prepared, resolved, before: pin })
  return toResult(next, pin ? 'updated' : 'fetched')
}

/** Fetches the files of a pin, to which the user agreed. */
async function restoreRoot(
  { context, loaded }: RootFetching,
  root: FetchedRoot,
  pin: RootPin,
): Promise<void> {
  checkRootSigners(context, pin.resolved)
  if (!isOnePlace(pin)) throw editedPinError(pin, 'resolved')
  const { prepared } = await download(context, root, pin.resolved)
  if (prepared.tree !== pin.tree) {
    throw new SkillsError(
      'skill/changed',
      `The root "${root.source}" has the digest ${prepared.tree} at its source, expected ${pin.tree}`,
      { hint: `Type "skills roots update ${root.source}" to see and agree to the new files` },
    )
  }
  // The digest of the files does not cover the rights that the next update is compared with.
  const hasRights = JSON.stringify(prepared.capabilities) === JSON.stringify(pin.capabilities)
  if (!hasRights) throw editedPinError(pin, 'capabilities')
  const { data } = loaded.config.directories
  const staged = await stageRoot(data, prepared)
  try {
    await storeRoot(data, pin.tree, staged)
  } finally {
    removeStagedRoot(staged)
  }
}

function editedPinError({ source }: RootPin, key: string): SkillsError {
  return new SkillsError(
    'lock/invalid',
    `"${key}" of "${source}" in skills.roots.lock differs from the source with its digest`,
    { hint: 'The file was edited: restore it from version control, and review its changes' },
  )
}

async function download(
  context: Context,
  { source, configFile }: FetchedRoot,
  text: string,
): Promise<{ prepared: PreparedRoot; resolved: string }> {
  const folder = dirname(configFile)
  const place = parseSkillSource(text, folder)
  const { signal, env } = context
  const { files, resolved } = await whileFetching(
    context,
    source,
    async () => await fetchFolder(place, { signal, env }),
  )
  const prepared = prepareRoot(files)
  return { prepared, resolved: resolved ?? toPinnedSource(source, folder) }
}

interface DownloadedRoot {
  prepared: PreparedRoot
  resolved: string
  before: RootPin | undefined
}

async function agreeAndStore(
  { context, call, loaded }: RootFetching,
  root: FetchedRoot,
  { prepared, resolved, before }: DownloadedRoot,
): Promise<RootPin> {
  const { source, configFile } = root
  const { data } = loaded.config.directories
  checkRootSigners(context, resolved)
  const staged = await stageRoot(data, prepared)
  try {
    const folder = join(staged, 'files')
    const folders = prepared.skills.map(({ path }) => join(folder, path))
    const problems = await findScanProblems(context, folder, { loaded, skills: folders })
    const shown = describeRoot({ source, resolved, root: prepared, before, problems })
    const by = await askRootConsent(context, call, { source, root: prepared, before, shown })
    const { tree, capabilities, capabilityDigest, skills } = prepared
    const pin: RootPin = {
      source: toPinnedSource(source, dirname(configFile)),
      resolved,
      tree,
      skills: skills.map(({ path, skill: { name, version } }) => ({ name, version, path })),
      capabilities,
      approved: { tree, capabilities: capabilityDigest, by },
    }
    await storeRoot(data, tree, staged)
    // Last, so that a killed process leaves the old pin or the new one with its files.
    await updateRootPins(data, locateRootPins(configFile), (pins) => [
      ...pins.filter((each) => each.source !== pin.source),
      pin,
    ])
    return pin
  } finally {
    removeStagedRoot(staged)
  }
}

function toResult(
  { source, resolved, tree, skills }: RootPin,
  state: RootResult['state'],
): RootResult {
  return { source, resolved, tree, state, skills: skills.length }
}

/** Refuses a root if a rule demands signatures for its source: a root as a whole has none. */
function checkRootSigners(context: Context, resolved: string): void {
  const trust = openUserTrust(context).read()
  const place = parseRemoteSource(resolved)
  const source = place && findTrustSource(place, resolved)
  const missed = findMissedThreshold(trust, source === undefined ? [] : [source], [])
  if (!missed) return
  throw new SkillsError(
    'policy/denied',
    `The root is not fetched: a rule of the trust list demands ${missed.required} signatures for it`,
    { hint: 'Install its skills one by one with "skills install", which verifies signatures' },
  )
}

interface RootConsent {
  source: string
  root: PreparedRoot
  before: RootPin | undefined
  shown: string
}

/** Returns how the user agreed to exactly these files and rights; throws without a consent. */
async function askRootConsent(
  context: Context,
  call: CommandLine,
  { source, root, before, shown }: RootConsent,
): Promise<RootApproval> {
  const { tree, capabilityDigest } = root
  const trusted = getListOption(call, 'trust')
  if (trusted.length > 0 && !trusted.includes(tree)) {
    throw new SkillsError(
      'consent/required',
      `The digest of "${source}" is ${tree}, expected ${trusted.join(' or ')}`,
      { hint: 'Compare the files with those that you agreed to' },
    )
  }
  context.note(shown)
  if (trusted.length > 0) return 'digest'
  const approved = before?.approved
  if (approved?.tree === tree && approved.capabilities === capabilityDigest) return approved.by
  if (call.options['yes'] === true) return 'yes'
  if (!context.isInteractive) {
    const message = `The root "${source}" is not fetched without a consent`
    throw new SkillsError('consent/required', message, {
      hint: `Read what its skills may do, and repeat the command with --trust ${tree}`,
      data: { tree },
    })
  }
  // A consent needs the text that --quiet hides.
  if (context.global.quiet) context.stderr.write(`${shown}\n`)
  const question = { message: `Use the skills of ${source}?`, initialValue: false }
  if (await confirmByPrompt(context, question)) return 'prompt'
  throw new SkillsError('run/cancelled', 'Cancelled; the root is as before')
}
