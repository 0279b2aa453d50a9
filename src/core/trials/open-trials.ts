import { SkillsError } from '../../errors.ts'
import { getLanguage } from '../languages/index.ts'
import type { LanguageName, ToolMount } from '../languages/language.ts'
import { resolveLanguage } from '../languages/resolve-language.ts'
import { findCertificates } from '../sandbox/egress/certificates.ts'
import type { Backend, ContainerSettings } from '../sandbox/backend.ts'
import type { BackendName } from '../sandbox/isolation.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'
import type { Manifest } from '../skills/manifest/manifest.ts'
import { parseNetworkEntry } from '../skills/manifest/network-entry.ts'
import type { SkillSource } from '../skills/manifest/source.ts'
import { createSecretVariables } from './bait/environment.ts'
import { createHomeFiles } from './bait/home-files.ts'
import { MarkerMint } from './bait/markers.ts'
import { readDescribedActs } from './described-acts.ts'
import { MarkerSearch } from './observe/marker-search.ts'
import { HOME_FOLDER, SKILLS_FOLDER, type SubjectProgram } from './subjects/subject.ts'
import type { IsDescribed, TrialContext } from './trial-context.ts'
import { TrialFolders } from './trial-folders.ts'

const MAX_PORTS = 24
const LANGUAGES: readonly (readonly [SubjectProgram, LanguageName])[] = [
  ['node', 'node'],
  ['ruby', 'ruby'],
  ['perl', 'perl'],
]
const ANY_CONTAINER: ContainerSettings = { engine: 'auto', runtime: 'default', image: undefined }

/** Sandboxes and programs of trials. */
export interface TrialMachine {
  sandboxes: Sandboxes
  backend?: BackendName | 'auto' | undefined
  container?: ContainerSettings | undefined
  python?: string | undefined
  env: Readonly<Record<string, string | undefined>>
  signal?: AbortSignal | undefined
  isDescribed?: IsDescribed | undefined
}

/** Opens everything that the trials of one skill share. Refuses a backend that does not isolate. */
export async function openTrials(
  source: SkillSource,
  manifest: Manifest,
  machine: TrialMachine,
): Promise<TrialContext> {
  const { sandboxes, env, python, signal } = machine
  const backend = await openIsolatingBackend(machine)
  const interpreter = await sandboxes.findInterpreter({ cwd: '/', env, python })
  const { programs, tools } = await findPrograms(machine)
  programs.set('python3', interpreter.executable)
  const declaredHosts = manifest.permissions.network.flatMap((entry) => {
    const parsed = parseNetworkEntry(entry)
    return 'problem' in parsed ? [] : [parsed.host]
  })
  const texts = listTexts(source)
  const mint = new MarkerMint()
  const files = createHomeFiles(mint)
  const names = manifest.permissions.secrets.filter((name) => /^[A-Z_][A-Z0-9_]*$/i.test(name))
  const secrets = createSecretVariables(mint, { names, hosts: declaredHosts })
  const name = chooseFolderName(manifest.name)
  return {
    backend,
    container: machine.container ?? ANY_CONTAINER,
    interpreter,
    programs,
    tools,
    hostEnv: env,
    folders: new TrialFolders(source.dir, name, findProgramWords(texts)),
    files,
    secrets,
    markers: mint.markers,
    search: new MarkerSearch(mint.markers),
    ports: findPorts(texts),
    isDescribed: machine.isDescribed ?? readDescribedActs(source, manifest, declaredHosts),
    skillFolder: `${HOME_FOLDER}/${SKILLS_FOLDER}/${name}`,
    certificates: findCertificates(env),
    signal,
  }
}

async function openIsolatingBackend({
  sandboxes,
  backend: name = 'auto',
  env,
  container = ANY_CONTAINER,
}: TrialMachine): Promise<Backend> {
  const backend = await sandboxes.openBackend(name, env)
  const { isolates, filtersNetwork } = backend.guarantees
  const isIsolating = Object.values(isolates).every(Boolean) && filtersNetwork
  const probe = isIsolating ? await backend.probe(env, container) : undefined
  if (probe?.ok) return backend
  const reason = isIsolating ? probe?.detail : `the backend "${backend.name}" does not isolate`
  throw new SkillsError(
    'sandbox/unavailable',
    `The skill is not run, because no sandbox is available: ${reason}`,
    {
      hint: 'Type "skills doctor" to see what is missing, or leave out --run to only read the skill',
    },
  )
}

async function findPrograms({ sandboxes, env, python }: TrialMachine) {
  const programs = new Map<SubjectProgram, string>([['bash', '/bin/bash']])
  const tools: ToolMount[] = []
  for (const [program, language] of LANGUAGES) {
    const resolved = await resolveLanguage({
      language: getLanguage(language),
      executable: program,
      cwd: '/',
      env,
      excluded: [],
      python,
      answers: sandboxes.answers,
    })
    const found = resolved.kind === 'resolved' ? resolved.programs.get(program) : undefined
    if (!found) continue
    programs.set(program, found.inside)
    tools.push(...found.mounts)
  }
  return { programs, tools }
}

function listTexts(source: SkillSource): string[] {
  return source.files
    .filter(({ type, size }) => type === 'file' && size < 256 * 1024)
    .slice(0, 200)
    .map(({ path }) => source.read(path) ?? '')
}

const MAX_WORDS = 500

/** Words that can be names of programs: the first of a command or of a list, or a whole text. */
function findProgramWords(texts: readonly string[]): string[] {
  const words = texts.flatMap((text) =>
    [
      ...text.matchAll(
        /(?:^|[|;&(]|\bdo\b|\bthen\b|["'`])\s*([a-z][a-z0-9_.-]{1,30})(?=[\s"'`;)|&]|$)/gm,
      ),
    ].map(([, word = '']) => word),
  )
  return [...new Set(words)].slice(0, MAX_WORDS)
}

/** Ports that the files name, so that direct connections to them are answered too. */
function findPorts(texts: readonly string[]): number[] {
  const found = texts.flatMap((text) =>
    [...text.matchAll(/(?:[:,(=\s/]|port\W{1,4})(\d{2,5})\b/gi)].map(([, port]) => Number(port)),
  )
  const likely = found.filter((port) => port > 1023 && port < 65_536)
  return [...new Set(likely)].slice(0, MAX_PORTS)
}

function chooseFolderName(name: string): string {
  const plain = name.replace(/[^\w-]+/g, '-').slice(0, 64)
  return plain === '' ? 'skill' : plain
}
