// @module-tag slow
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it } from 'vitest'
import type { ServerEntry } from '../../src/mcp/install/clients.ts'
import { INHERITED_ENV } from '../helpers/inherited-env.ts'
import { newClient } from '../helpers/mcp.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'
import { BIN } from '../helpers/built.ts'

const PACKAGE = `#!/bin/sh
exec ${process.execPath} ${BIN} "$@"
`

async function printEntry(cwd: string, ...argv: string[]): Promise<ServerEntry> {
  const { stdout } = await runSkills(['mcp', 'install', '--print', ...argv], {
    cwd,
    env: { HOME: cwd },
  })
  const { servers } = JSON.parse(stdout) as { servers: { skills: ServerEntry } }
  return servers.skills
}

/** Starts an entry as a client does, and lists the skills of the server. */
async function listServedSkills({ command, args }: ServerEntry, cwd: string, home: string) {
  const client = newClient('modern')
  await client.connect(
    new StdioClientTransport({
      command,
      args: [...args],
      cwd,
      env: { ...INHERITED_ENV, HOME: home },
      stderr: 'ignore',
    }),
  )
  const { structuredContent } = await client.callTool({ name: 'list_skills', arguments: {} })
  await client.close()
  const { skills } = structuredContent as { skills: { name: string }[] }
  return skills.map(({ name }) => name).filter((name) => name !== 'skills.protocol.guide')
}

const PROJECT = {
  'skills.config.toml': 'roots = ["more"]\n',
  ...prefixPaths('more/sum', createActionSkill('acme.sum')),
}

it('an installed entry of a user serves the configured project from anywhere', async () => {
  const project = createFolder(PROJECT)
  const entry = await printEntry(project, '--client', 'vscode')
  const args = entry.args.flatMap((each) => (each.endsWith('skills.js') ? [] : [each]))
  const started = { ...entry, args: [BIN, ...args] }
  expect(await listServedSkills(started, createFolder(), createFolder())).toEqual(['acme.sum'])
})

it('a shared entry starts the installed package in every clone of the project', async () => {
  const shared = await printEntry(createFolder(PROJECT), '--client', 'vscode', '--scope', 'project')
  const clone = createFolder({ ...PROJECT, 'node_modules/.bin/skills-protocol': PACKAGE })
  chmodSync(join(clone, 'node_modules/.bin/skills-protocol'), 0o755)
  const args = shared.args.map((each) => each.replace('${workspaceFolder}', clone))
  expect(await listServedSkills({ ...shared, args }, clone, createFolder())).toEqual(['acme.sum'])
})

it('a shared entry downloads no package', async () => {
  const { command, args } = await printEntry(
    createFolder(PROJECT),
    '--client',
    'vscode',
    '--scope',
    'project',
  )
  expect([command, ...args].slice(0, 3)).toEqual(['npx', '--no-install', 'skills-protocol'])
})

it('skills mcp rejects a project that is not a folder', async () => {
  const cwd = createFolder({ file: '' })
  for (const project of ['absent', 'file']) {
    const { code, stderr } = await runSkills(['mcp', '--project', project], { cwd })
    expect({ project, code }).toEqual({ project, code: 2 })
    expect(stderr).toContain(`--project "${project}" is not a folder`)
  }
})
