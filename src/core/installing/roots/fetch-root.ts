import { dirname, join } from 'node:path'
import { inspectRoot, locateRootPins, type FetchedRoot } from '../../config/roots/resolve-root.ts'
import type { RootApproval, RootPin } from '../../config/roots/root-pins.ts'
import { toPinnedSource } from '../../config/roots/root-source.ts'
import { findTrustSource } from '../../signing/trust/source.ts'
import { findMissedThreshold } from '../../signing/verify/check-signers.ts'
import { findKind } from '../../sources/index.ts'
import { parseRemoteSource, parseSkillSource } from '../../sources/skill-source.ts'
import { SkillsError } from '../../../errors.ts'
import { findScanProblems } from '../installer/examine-staged.ts'
import type { InstallCaller, Installer, InstallOptions } from '../installer/installer.ts'
import { isOnePlace } from '../source-identity.ts'
import { prepareRoot, type PreparedRoot } from './prepare-root.ts'
import { removeStagedRoot, stageRoot, storeRoot, updateRootPins } from './store-root.ts'

/** Result for one root, as in JSON. */
export interface RootResult {
  source: string
  resolved: string
  tree: string
  state: 'unchanged' | 'fetched' | 'updated'
  skills: number
}

/** Facts for the consent to a root. */
export interface RootFacts {
  source: string
  resolved: string
  root: PreparedRoot
  before: RootPin | undefined
  problems: readonly string[]
}

/** Questions and reports while roots are fetched. */
export interface RootCaller extends Pick<InstallCaller, 'fetching'> {
  show(facts: RootFacts): void
  /** Asks for a consent to the files that were shown; undefined if there is no one to ask. */
  agree(facts: RootFacts): Promise<boolean | undefined>
}

export interface RootFetching extends Pick<
  Installer,
  'config' | 'projectDir' | 'env' | 'signal' | 'trust'
> {
  /** Asks a source again that has a pin. */
  isUpdate: boolean
  options: Pick<InstallOptions, 'trust' | 'yes'>
  caller: RootCaller
}

/** Fetches a root, as its pin has it, or after a consent as its source has it now. */
export async function fetchRoot(fetching: RootFetching, root: FetchedRoot): Promise<RootResult> {
  const { config, isUpdate } = fetching
  const { pin, state } = await inspectRoot(root, config.directories.data)
  if (pin && !isUpdate) {
    if (state === 'verified') return toResult(pin, 'unchanged')
    await restoreRoot(fetching, root, pin)
    return toResult(pin, 'fetched')
  }
  const { prepared, resolved } = await download(fetching, root, root.source)
  if (pin?.tree === prepared.tree && pin.resolved === resolved && state === 'verified') {
    return toResult(pin, 'unchanged')
  }
  const next = await agreeAndStore(fetching, root, { prepared, resolved, before: pin })
  return toResult(next, pin ? 'updated' : 'fetched')
}

/** Fetches the files of a pin, to which the user agreed. */
async function restoreRoot(fetching: RootFetching, root: FetchedRoot, pin: RootPin): Promise<void> {
  checkRootSigners(fetching, pin.resolved)
  if (!isOnePlace(pin)) throw editedPinError(pin, 'resolved')
  const { prepared } = await download(fetching, root, pin.resolved)
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
  const { data } = fetching.config.directories
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
  { signal, env, caller }: RootFetching,
  { source, configFile }: FetchedRoot,
  text: string,
): Promise<{ prepared: PreparedRoot; resolved: string }> {
  const folder = dirname(configFile)
  const place = parseSkillSource(text, folder)
  const kind = findKind(place)
  const options = { signal, env }
  const { files, resolved } = await caller.fetching(
    source,
    async () => (await kind.fetchFolder?.(place, options)) ?? (await kind.fetch(place, options)),
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
  fetching: RootFetching,
  root: FetchedRoot,
  { prepared, resolved, before }: DownloadedRoot,
): Promise<RootPin> {
  const { source, configFile } = root
  const { data } = fetching.config.directories
  checkRootSigners(fetching, resolved)
  const staged = await stageRoot(data, prepared)
  try {
    const folder = join(staged, 'files')
    const folders = prepared.skills.map(({ path }) => join(folder, path))
    const problems = await findScanProblems(fetching, folder, { skills: folders })
    const facts = { source, resolved, root: prepared, before, problems }
    const by = await askRootConsent(fetching, facts)
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
function checkRootSigners({ trust: store }: RootFetching, resolved: string): void {
  const trust = store.read()
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

/** Returns how the user agreed to exactly these files and rights; throws without a consent. */
async function askRootConsent(
  { options: { trust, yes }, caller }: RootFetching,
  facts: RootFacts,
): Promise<RootApproval> {
  const { source, root, before } = facts
  const { tree, capabilityDigest } = root
  if (trust.length > 0 && !trust.includes(tree)) {
    throw new SkillsError(
      'consent/required',
      `The digest of "${source}" is ${tree}, expected ${trust.join(' or ')}`,
      { hint: 'Compare the files with those that you agreed to' },
    )
  }
  caller.show(facts)
  if (trust.length > 0) return 'digest'
  const approved = before?.approved
  if (approved?.tree === tree && approved.capabilities === capabilityDigest) return approved.by
  if (yes) return 'yes'
  const agrees = await caller.agree(facts)
  if (agrees === true) return 'prompt'
  if (agrees === false) throw new SkillsError('run/cancelled', 'Cancelled; the root is as before')
  const message = `The root "${source}" is not fetched without a consent`
  throw new SkillsError('consent/required', message, {
    hint: `Read what its skills may do, and repeat the command with --trust ${tree}`,
    data: { tree },
  })
}
