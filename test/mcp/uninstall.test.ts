import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { CLIENT_NAMES, CLIENTS, INSTALL_SCOPES } from '../../src/mcp/install/clients.ts'
import { removeFromJson } from '../../src/mcp/install/remove-json.ts'
import { removeFromToml } from '../../src/mcp/install/remove-toml.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const OWN = { command: '/usr/bin/node', args: ['/opt/skills.js', 'mcp'] }
const WAYS = CLIENT_NAMES.flatMap((client) =>
  INSTALL_SCOPES.filter((scope) => scope === 'user' || client !== 'claude-desktop').map(
    (scope) => [client, scope] as const,
  ),
)

async function runMcp(home: string, ...argv: string[]) {
  return await runSkills(['mcp', ...argv], { cwd: home, env: { HOME: home } })
}

function findConfig(home: string, [client, scope]: (typeof WAYS)[number]): string {
  const environment = { platform: process.platform, env: {}, home, cwd: home }
  return CLIENTS[client].resolveFile(environment, scope) ?? ''
}

describe('skills mcp uninstall', () => {
  it.each(WAYS)('removes only its own entry from %s, scope %s', async (client, scope) => {
    const way = [client, scope] as const
    const { format, key } = CLIENTS[client]
    const text =
      format === 'toml'
        ? `# mine\nmodel = "x"\n\n[${key}.other]\ncommand = "o"\nargs = ["mcp"]\n`
        : `{\n  // mine\n  "theme": "x",\n  "${key}": {\n    "other": { "command": "o", "args": ["mcp"] }\n  }\n}\n`
    const home = createFolder()
    const target = findConfig(home, way)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
    const options = ['--client', client, '--scope', scope]
    expect((await runMcp(home, 'install', ...options, '--yes')).code).toBe(0)
    const installed = readFileSync(target, 'utf8')
    expect(installed).not.toBe(text)

    const dry = await runMcp(home, 'uninstall', ...options, '--dry-run')
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(/^-.*skills/m) })
    const refused = await runMcp(home, 'uninstall', ...options)
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
    expect(readFileSync(target, 'utf8')).toBe(installed)

    const done = await runMcp(home, 'uninstall', ...options, '--yes')
    expect(done).toMatchObject({ code: 0, stdout: '' })
    expect(done.stderr).toContain(`no longer starts "skills", removed from "${target}"; backup: `)
    expect(readFileSync(target, 'utf8')).toBe(text)
    const again = await runMcp(home, 'uninstall', ...options, '--yes', '--json')
    expect(again.json()).toMatchObject({
      schema: 'skills.mcpUninstall/v1',
      client,
      scope,
      name: 'skills',
      file: target,
      changed: false,
      written: false,
      backup: null,
      diff: '',
    })
  })

  it('reports a missing file and a missing server', async () => {
    const home = createFolder()
    const absent = await runMcp(home, 'uninstall', '--client', 'cursor', '--yes')
    expect(absent.code).toBe(0)
    expect(absent.stderr).toContain('has no server "skills"')
    expect(readdirSync(home)).toEqual([])
    await runMcp(home, 'install', '--client', 'cursor', '--yes', '--name', 'mine')
    const other = await runMcp(home, 'uninstall', '--client', 'cursor', '--yes')
    expect(other.stderr).toContain('has no server "skills"')
    const named = await runMcp(home, 'uninstall', '--client', 'cursor', '--yes', '--name', 'mine')
    expect(named.stderr).toContain('no longer starts "mine"')
    expect(existsSync(join(home, '.cursor/mcp.json.bak'))).toBe(true)
  })

  it.each([
    ['no client', [], '', /Missing the client/],
    ['an unknown client', ['--client', 'emacs'], '', /expected one of claude-desktop/],
    ['an invalid name', ['--client', 'cursor', '--name', 'a b'], '', /not a valid server name/],
    ['an unknown option', ['--client', 'cursor', '--print'], '', /--print/],
    [
      'a scope without a file',
      ['--client', 'claude-desktop', '--scope', 'project'],
      '',
      /no project configuration/,
    ],
    [
      'a server of another program',
      ['--client', 'cursor'],
      '{"mcpServers":{"skills":{"command":"npx","args":["other"]}}}',
      /another program/,
    ],
    ['invalid JSON', ['--client', 'cursor'], '{', /line 1/],
    [
      'the same key twice',
      ['--client', 'cursor'],
      `{"mcpServers":{"skills":${JSON.stringify(OWN)},"skills":${JSON.stringify(OWN)}}}`,
      /twice/,
    ],
    // eslint-disable-next-line max-params -- a name, and a case in three parts
  ])('rejects %s', async (_, argv, text, message) => {
    const home = createFolder({ '.cursor/mcp.json': text })
    const { code, stderr } = await runMcp(home, 'uninstall', ...argv, '--yes')
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
    expect(readFileSync(join(home, '.cursor/mcp.json'), 'utf8')).toBe(text)
    expect(readdirSync(join(home, '.cursor'))).toEqual(['mcp.json'])
  })
})

describe('the removal of a server', () => {
  const at = { name: 'skills', file: 'it' }
  const own = JSON.stringify(OWN)

  it.each([
    [`{"mcpServers":{"skills":${own}}}`, '{"mcpServers":{}}'],
    [`{"mcpServers":{"skills":${own},"b":{}}}`, '{"mcpServers":{"b":{}}}'],
    [`{"mcpServers":{"a":{},"skills":${own}}}`, '{"mcpServers":{"a":{}}}'],
    [
      `{\r\n\t"mcpServers": {\r\n\t\t"a": {}, // first\r\n\t\t"skills": ${own}\r\n\t}\r\n}\r\n`,
      '{\r\n\t"mcpServers": {\r\n\t\t"a": {} // first\r\n\t}\r\n}\r\n',
    ],
    [
      `{ "mcpServers": {\n  "skills": ${own}, /* kept */\n  "b": 1,\n} }`,
      '{ "mcpServers": {\n   /* kept */\n  "b": 1,\n} }',
    ],
    [`\uFEFF{"mcpServers":{"skills":${own},},}`, '\uFEFF{"mcpServers":{},}'],
    ['{}', '{}'],
    ['', ''],
  ])('leaves the rest of JSON as it is: %j', (before, after) => {
    expect(removeFromJson(before, { client: CLIENTS.cursor, ...at })).toBe(after)
  })

  it.each([
    [
      '[mcp_servers.skills]\ncommand = "skills"\nargs = ["mcp"]\n\n[mcp_servers.skills.env]\nA = "b"\n',
      '',
    ],
    [
      'a = 1\n\n[mcp_servers.skills] # mine\ncommand = "skills"\nargs = [\n  "mcp",\n] # end\n\n# next\n[b]\nc = 2\n',
      'a = 1\n\n# next\n[b]\nc = 2\n',
    ],
    [
      'mcp_servers.x.command = "y"\n[mcp_servers."skills"]\r\ncommand = "skills"\r\nargs = ["mcp"]\r\n',
      'mcp_servers.x.command = "y"\n',
    ],
  ])('leaves the rest of TOML as it is: %j', (before, after) => {
    const removed = removeFromToml(before, { client: CLIENTS.codex, ...at })
    expect(removed).toBe(after)
    expect(() => parseToml(removed)).not.toThrow()
  })

  it('rejects TOML in which the server has no table of its own', () => {
    const text = '[mcp_servers]\nskills = { command = "skills", args = ["mcp"] }\n'
    expect(() => removeFromToml(text, { client: CLIENTS.codex, ...at })).toThrow(/separate tables/)
  })
})
