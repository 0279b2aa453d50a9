import { isBuiltin } from 'node:module'
import { memoize } from '../../../util/memoize.ts'
import type { CodeFacts, EnvironmentRead, NamedSpan, NetworkRequest } from './code-facts.ts'
import { listParsedCode } from './code-files.ts'
import { findOrigin } from './url-origin.ts'
import { isOwnMachine } from './network-origin.ts'
import type { PythonFacts } from '../python/facts.ts'
import { STANDARD_MODULES } from '../python/standard-modules.ts'
import type { LintedSkill } from '../rule.ts'
import { listLoadedPython } from './loaded-python.ts'

/** Use of secrets and of the network in a file of code, in any language. */
export interface CodeUse {
  file: string
  environment: readonly EnvironmentRead[]
  readsWholeEnvironment: boolean
  strings: readonly { value: string; target: string | null; span: NamedSpan['span'] }[]
  requests: readonly NetworkRequest[]
  /** The first sign that the file needs the network: an import, or a request. */
  network: NamedSpan | undefined
  /** True if the file may use the network in a way that its text does not show. */
  mayUseNetwork: boolean
}

/** Lists the files that a run loads, of the manifest's language; computed once for all rules. */
export const listCodeUses: (skill: LintedSkill) => readonly CodeUse[] = memoize((skill) => {
  const python = listLoadedPython(skill).map(({ file, facts }) =>
    toPythonUse(file, facts, skill.read(file) ?? ''),
  )
  return [...python, ...listParsedCode(skill).map(({ file, facts }) => toCodeUse(file, facts))]
})

/** The same for all parsed files, whatever the language of the manifest is. */
export function listAllCodeUses(skill: LintedSkill): readonly CodeUse[] {
  return skill.files.flatMap(({ path }) => {
    const python = skill.getPythonFacts(path)
    if (python && !python.problem) return [toPythonUse(path, python, skill.read(path) ?? '')]
    const facts = skill.getCodeFacts(path)
    return facts && !facts.problem ? [toCodeUse(path, facts)] : []
  })
}

function toPythonUse(file: string, facts: PythonFacts, text: string): CodeUse {
  const { strings, imports } = facts
  const requests = facts.requests.flatMap((each) => {
    const origin = findOrigin(each, text)
    return origin ? [{ call: each.name, ...origin }] : []
  })
  const isLocal = requests.length > 0 && requests.every(({ origin }) => isOwnMachine(origin))
  const found = isLocal ? undefined : imports.find((each) => usesNetwork(each, facts))
  return {
    file,
    environment: facts.environment,
    readsWholeEnvironment: false,
    strings,
    requests,
    network: found && { name: findNetworkModule(found) as string, span: found.span },
    // A third-party package may use the network itself.
    mayUseNetwork: imports.some(
      ({ module, level }) => level === 0 && !isOwnPythonModule(module.split('.')[0] as string),
    ),
  }
}

function isOwnPythonModule(top: string): boolean {
  return STANDARD_MODULES.has(top) || /^(?:runtime|__future__)$/.test(top)
}

function toCodeUse(file: string, facts: CodeFacts): CodeUse {
  const request = facts.requests.find(({ origin }) => !isOwnMachine(origin))
  const found = facts.imports.find(({ specifier }) => NETWORK_PACKAGES.test(specifier))
  const isShell = facts.language === 'shell'
  return {
    file,
    environment: facts.environment,
    readsWholeEnvironment: facts.readsWholeEnvironment,
    strings: facts.strings,
    requests: facts.requests,
    network: request
      ? { name: request.call, span: request.span }
      : found && { name: found.specifier, span: found.span },
    // Any program that a script starts may use the network.
    mayUseNetwork: isShell || facts.imports.some(({ specifier }) => isForeignPackage(specifier)),
  }
}

const NETWORK_PACKAGES =
  /^(?:(?:node:)?(?:https?|http2|net|tls|dgram|dns)|axios|got|ky|undici|ws|node-fetch|superagent|needle|openai|@anthropic-ai\/sdk)$/

function isForeignPackage(specifier: string): boolean {
  return !/^[./#]/.test(specifier) && !/^runtime(?:\/|$)/.test(specifier) && !isBuiltin(specifier)
}

const NETWORK_MODULES =
  /^(?:requests|httpx|aiohttp|urllib3|urllib\.request|http\.client|socket|ssl|ftplib|smtplib|imaplib|poplib|telnetlib|xmlrpc\.client|websockets?|paramiko|grpc|boto3|botocore|pycurl|tornado|twisted|asyncssh|pymongo|psycopg2?|redis|mysql|google\.cloud|openai|anthropic)(?:\.|$)/

/** Both modules also have helpers that need no network, such as the name of the host. */
const CONNECTING =
  /^(?:socket\.(?:socket|create_\w+|getaddrinfo|gethostby\w+)|ssl\.\w*(?:wrap|get_server)\w*)$/

function usesNetwork(found: PythonFacts['imports'][number], { calls }: PythonFacts): boolean {
  const name = findNetworkModule(found)
  if (name !== 'socket' && name !== 'ssl') return name !== undefined
  return found.name !== null || calls.some((each) => CONNECTING.test(each.name))
}

/** Name of the network library that an import loads; undefined for other imports. */
function findNetworkModule(found: { module: string; name: string | null }): string | undefined {
  if (NETWORK_MODULES.test(found.module)) return found.module
  const full = found.name === null ? found.module : `${found.module}.${found.name}`
  return NETWORK_MODULES.test(full) ? full : undefined
}
