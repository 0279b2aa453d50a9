import { SkillsError } from '../../../errors.ts'
import type { RunCall } from '../../runs/run-call.ts'
import { findUnmet } from '../../runs/checks/find-unmet.ts'
import type { Services } from '../../services.ts'
import { listDocs } from '../../skill-context/skill-docs.ts'
import { listCapabilities } from '../../skills/manifest/capabilities.ts'
import { describeCapability } from '../../skills/requirements/capability-text.ts'
import type { Manifest, SkillInput } from '../../skills/manifest/manifest.ts'
import type { SkillEntry } from '../../skills/repository/repository.ts'
import { describeMissing } from '../../skills/requirements/find-missing.ts'
import type { InspectSkillParams, InspectSkillResult } from './definition.ts'

const SUITES_TIMEOUT_MS = 5000

type InspectServices = Pick<Services, 'repository' | 'secrets' | 'config' | 'offloader'>
type InspectCall = Pick<RunCall, 'env' | 'signal' | 'caller'>

/** `inspect_skill`: facts about one skill. Nothing of it is executed. */
export async function inspectSkill(
  services: InspectServices,
  { name, version }: InspectSkillParams,
  call: InspectCall,
): Promise<InspectSkillResult> {
  const { repository } = services
  const entry = await repository.resolve(name, version)
  const [manifest, versions, files, unmet] = await Promise.all([
    repository.manifest(entry),
    repository.versions(entry.name),
    describeFiles(services, entry),
    findUnmet(services, [entry], call),
  ])
  const { runtime, tags } = manifest
  return {
    name: entry.name,
    version: entry.version,
    versions: versions.length > 0 ? versions : [entry.version],
    description: entry.description,
    kind: manifest.kind,
    namespace: entry.namespace,
    tags,
    digest: await readDigest(services, entry),
    language: runtime?.language ?? null,
    entrypoint: runtime?.entrypoint ?? null,
    inputs: Object.entries(manifest.inputs).map(toInput),
    rights: describeRights(manifest),
    missing: (unmet.get(entry) ?? []).map((each) => ({
      sentence: describeMissing(each),
      fix: each.fix,
    })),
    files,
    examples: listExamples(manifest),
    tests: await listTests(services, entry.dir, call),
  }
}

async function describeFiles({ repository }: InspectServices, entry: SkillEntry) {
  const documents = new Set(['SKILL.md', ...(await listDocs(repository, entry))])
  return (await repository.files(entry)).map(({ path, size, isExecutable }) => ({
    path,
    size_bytes: size,
    executable: isExecutable === true,
    is_document: documents.has(path) && /\.(?:md|markdown)$/i.test(path),
  }))
}

/** A skill with a special file or too many files has no digest, and can be shown all the same. */
async function readDigest({ repository }: InspectServices, entry: SkillEntry) {
  try {
    return await repository.digest(entry)
  } catch (thrown) {
    if (thrown instanceof SkillsError) return null
    throw thrown
  }
}

function toInput([name, input]: [string, SkillInput]): InspectSkillResult['inputs'][number] {
  const { type, description, required } = input
  return {
    name,
    type,
    required,
    description: description ?? null,
    ...(input.default !== undefined && { default: input.default }),
    ...(input.enum && { enum: input.enum }),
  }
}

function describeRights(manifest: Manifest): InspectSkillResult['rights'] {
  return listCapabilities(manifest).map(({ kind, value }) => ({
    kind,
    value,
    sentence: describeCapability({ kind, value }),
  }))
}

function listExamples({ examples = [] }: Manifest): InspectSkillResult['examples'] {
  return examples.map(({ index, description, args }) => ({
    name: description ?? `Example ${index + 1}`,
    args,
  }))
}

/** Suites are read in the thread of offloaded tasks: their author decides how long that takes. */
async function listTests(
  { offloader }: InspectServices,
  dir: string,
  { signal, caller }: InspectCall,
): Promise<InspectSkillResult['tests']> {
  const { findSuites, TESTS_FOLDER } = await import('../../testing/suites/find-suites.ts')
  if (findSuites(dir).length === 0) return []
  try {
    const options = { timeoutMs: SUITES_TIMEOUT_MS, signal, principal: caller?.principal }
    return await (await offloader()).perform('suites', { dir }, options)
  } catch (thrown) {
    if (!(thrown instanceof SkillsError) || thrown.code !== 'file/unreadable') throw thrown
    return [{ file: TESTS_FOLDER, cases: [], problems: ['The suites take too long to read'] }]
  }
}
