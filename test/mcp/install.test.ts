import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  lstatSync,
} from 'node:fs'
import { join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { CLIENT_NAMES, CLIENTS, type InstallEnvironment } from '../../src/mcp/install/clients.ts'
import { editJson } from '../../src/mcp/install/edit-json.ts'
import { editToml } from '../../src/mcp/install/edit-toml.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const ENTRY = { command: '/usr/bin/node', args: ['/opt/skills.js', 'mcp'] }
const edit = (client: keyof typeof CLIENTS) => ({
  client: CLIENTS[client],
  name: 'skills',
  entry: ENTRY,
  file: 'it',
})
const json = (text: string) => editJson(text, edit('cursor'))
const toml = (text: string) => editToml(text, edit('codex'))
const SHARED_CLIENTS = CLIENT_NAMES.filter((name) => name !== 'claude-desktop')
const FILES = {
  'claude-desktop': '.config/Claude/claude_desktop_config.json',
  'claude-code': '.claude.json',
  cursor: '.cursor/mcp.json',
  vscode: '.config/Code/User/mcp.json',
  codex: '.codex/config.toml',
  gemini: '.gemini/settings.json',
} as const

async function install(home: string, ...argv: string[]) {
  return await runSkills(['mcp', 'install', ...argv], { cwd: home, env: { HOME: home } })
}

/** Reads the server entry from a configuration with any parser. */
function readServerEntry(client: keyof typeof FILES, text: string): unknown {
  const { format, key } = CLIENTS[client]
  const entries = (format === 'toml' ? parseToml(text) : JSON.parse(text)) as Record<
    string,
    { skills: unknown }
  >
  return entries[key]?.skills
}

describe('skills mcp install', () => {
  it.each(CLIENT_NAMES)('writes a configuration that starts %s', async (client) => {
    const home = createFolder()
    const { code, stdout } = await install(home, '--client', client, '--yes')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    const text = readFileSync(join(home, FILES[client]), 'utf8')
    expect(readServerEntry(client, text)).toMatchObject({
      command: process.execPath,
      args: [expect.stringMatching(/bin\/skills\.js$/), 'mcp'],
    })
    const second = await install(home, '--client', client, '--yes', '--json')
    expect(second.json()).toMatchObject({ changed: false, written: false, backup: null })
    expect(readFileSync(join(home, FILES[client]), 'utf8')).toBe(text)
  })

  it.each(CLIENT_NAMES)(
    'leaves the configuration of %s unchanged with --dry-run and --print',
    async (client) => {
      const home = createFolder()
      const dry = await install(home, '--client', client, '--dry-run')
      expect(dry.code).toBe(0)
      expect(dry.stdout).toMatch(/^--- \/dev\/null\n\+\+\+ b\/.*\n@@/)
      const printed = await install(home, '--client', client, '--print')
      expect(readServerEntry(client, printed.stdout)).toMatchObject({ command: process.execPath })
      expect((await install(home, '--client', client, '--dry-run', '--json')).json()).toMatchObject(
        {
          schema: 'skills.mcpInstall/v1',
          client,
          changed: true,
          written: false,
          file: join(home, FILES[client]),
        },
      )
      expect(readdirSync(home)).toEqual([])
    },
  )

  it('requires --yes without a terminal and changes nothing otherwise', async () => {
    const home = createFolder()
    const { code, stderr } = await install(home, '--client', 'cursor')
    expect(code).toBe(2)
    expect(stderr).toMatch(/\+ {6}"command"[^]*This would change[^]*--yes/)
    expect(readdirSync(home)).toEqual([])
  })

  it('starts the server of a user in the project, with absolute paths', async () => {
    const home = createFolder({
      'skills.config.toml': 'roots = ["more"]\n',
      'more/.keep': '',
      'sub/.keep': '',
    })
    const args = async (cwd: string, ...argv: string[]) => {
      const { stdout } = await install(cwd, '--client', 'cursor', '--print', ...argv)
      return (readServerEntry('cursor', stdout) as { args: string[] }).args.slice(2)
    }
    expect(await args(home)).toEqual(['--project', home])
    expect(await args(join(home, 'sub'))).toEqual(['--project', home])
    expect(await args(createFolder())).toEqual([])
    expect(await args(home, '--root', 'more', '--profile', 'protocol')).toEqual([
      '--root',
      join(home, 'more'),
      '--profile',
      'protocol',
    ])
    expect(await args(home, '--config', 'skills.config.toml', '--secrets-file', 's')).toEqual([
      '--config',
      join(home, 'skills.config.toml'),
      '--secrets-file',
      join(home, 's'),
    ])
  })

  it.each(SHARED_CLIENTS)('shares an entry of %s without paths of this machine', async (client) => {
    const write = async () => {
      const home = createFolder({ 'skills.config.toml': '', 'skills/.keep': '', 's.env': '' })
      const argv = ['--root', 'skills', '--secrets-file', join(home, 's.env'), '--allow-network']
      const { code } = await install(
        home,
        '--client',
        client,
        '--scope',
        'project',
        '--yes',
        ...argv,
      )
      expect(code).toBe(0)
      const environment = { platform: process.platform, env: {}, home, cwd: home }
      const text = readFileSync(CLIENTS[client].resolveFile(environment, 'project') ?? '', 'utf8')
      expect(text).not.toContain(home)
      expect(text).not.toContain(process.execPath)
      return text
    }
    const text = await write()
    expect(await write()).toBe(text)
    const folder = { cursor: '${workspaceFolder}', vscode: '${workspaceFolder}' }[client as string]
    expect(readServerEntry(client, text)).toMatchObject({
      command: 'npx',
      args: [
        '--no-install',
        'skills-protocol',
        'mcp',
        '--root',
        `${folder ?? '.'}/skills`,
        '--allow-network',
        '--secrets-file',
        `${folder ?? '.'}/s.env`,
        ...(folder === undefined ? [] : ['--project', folder]),
      ],
    })
  })

  it('does not share a path that other machines do not have', async () => {
    const home = createFolder()
    for (const argv of [
      ['--root', '/etc'],
      ['--root', '..'],
      ['--secrets-file', '../s'],
      ['--config', '/x.toml'],
    ]) {
      const { code, stderr } = await install(
        home,
        '--client',
        'vscode',
        '--scope',
        'project',
        '--yes',
        ...argv,
      )
      expect({ argv, code }).toEqual({ argv, code: 2 })
      expect(stderr).toContain('is outside of the project')
    }
    expect(readdirSync(home)).toEqual([])
  })

  it.each([
    ['no client', [], /Missing the client/],
    ['an unknown client', ['--client', 'emacs'], /expected one of claude-desktop/],
    ['an invalid name', ['--client', 'cursor', '--name', 'a b'], /not a valid server name/],
    [
      'a scope without a file',
      ['--client', 'claude-desktop', '--scope', 'project'],
      /no project configuration/,
    ],
    ['tools that are not there', ['--client', 'cursor', '--tool', 'fly'], /Unknown skill tool/],
  ])('rejects %s', async (_, argv, message) => {
    const home = createFolder()
    const { code, stderr } = await install(home, ...argv, '--yes')
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
    expect(readdirSync(home)).toEqual([])
  })

  it('keeps a backup, the permissions of the file and a symbolic link', async () => {
    const home = createFolder({ 'dotfiles/mcp.json': '{ "mcpServers": {} }\n' })
    mkdirSync(join(home, '.cursor'))
    chmodSync(join(home, 'dotfiles/mcp.json'), 0o640)
    symlinkSync('../dotfiles/mcp.json', join(home, '.cursor/mcp.json'))
    const { json: document } = await install(home, '--client', 'cursor', '--yes', '--json')
    const { backup } = document() as { backup: string }
    expect(readFileSync(backup, 'utf8')).toBe('{ "mcpServers": {} }\n')
    expect(lstatSync(join(home, '.cursor/mcp.json')).isSymbolicLink()).toBe(true)
    expect(statSync(join(home, 'dotfiles/mcp.json')).mode & 0o777).toBe(0o640)
    expect(readdirSync(join(home, 'dotfiles')).sort()).toEqual(['mcp.json', 'mcp.json.bak'])
    // A second change does not overwrite the first backup.
    await install(home, '--client', 'cursor', '--yes', '--root', 'x', '--root', 'dotfiles')
    expect(readFileSync(backup, 'utf8')).toBe('{ "mcpServers": {} }\n')
    expect(existsSync(`${backup}2`)).toBe(true)
  })

  it.each([
    ['invalid JSON', '{ "mcpServers": ', /line 1/],
    ['an array', '[]', /expected an object/],
    ['invalid servers', '{ "mcpServers": [] }', /"mcpServers" to be an object/],
    ['an invalid entry', '{ "mcpServers": { "skills": 1 } }', /to be an object/],
    [
      'a server of another program',
      '{"mcpServers":{"skills":{"command":"npx","args":["other"]}}}',
      /another program/,
    ],
    ['the same key twice', '{"mcpServers":{"a":1},"mcpServers":{"b":1}}', /twice/],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /UTF-8/],
  ])('leaves a file unchanged that contains %s', async (_, content, message) => {
    const home = createFolder({ '.cursor/mcp.json': content })
    const { code, stderr } = await install(home, '--client', 'cursor', '--yes')
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
    expect(readFileSync(join(home, '.cursor/mcp.json'))).toEqual(Buffer.from(content as string))
    expect(readdirSync(join(home, '.cursor'))).toEqual(['mcp.json'])
  })

  it('leaves invalid TOML unchanged', async () => {
    for (const text of [
      'a = ',
      'mcp_servers = 3\n',
      'mcp_servers = { other = { command = "x" } }\n',
    ]) {
      const home = createFolder({ '.codex/config.toml': text })
      const { code } = await install(home, '--client', 'codex', '--yes')
      expect(code).toBe(2)
      expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toBe(text)
    }
  })
})

describe('a server in a JSON configuration', () => {
  it.each([
    ['', '{\n  "mcpServers": {\n    "skills": {'],
    ['{}', '{\n  "mcpServers": {'],
    ['{\n\t"a": 1 // one\n}\n', '{\n\t"a": 1, // one\n\t"mcpServers": {\n\t\t"skills": {'],
    [
      '{\n  "mcpServers": {\n    "x": {"command": "y"}, // last\n  },\n}\n',
      '{\n  "mcpServers": {\n    "x": {"command": "y"}, // last\n    "skills": {',
    ],
    ['/* top */ {"a":[1,2],"mcpServers":{}}', '/* top */ {"a":[1,2],"mcpServers":{\n'],
    [
      '\uFEFF{\r\n  "a": 1\r\n}\r\n',
      '\uFEFF{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "skills": {\r\n',
    ],
  ])('is added after the existing content: %j', (before, beginning) => {
    const after = json(before)
    expect(after.slice(0, beginning.length)).toBe(beginning)
    expect(json(after)).toBe(after)
  })

  it('is updated where it differs; the rest of its entry stays', () => {
    const before =
      '{\n  "mcpServers": {\n    "skills": {\n      // mine\n      "command": "/old/node",\n      "args": ["/old/skills.js", "mcp"],\n      "env": { "A": "b" }\n    }\n  }\n}\n'
    const after = json(before)
    expect(after).toContain('      // mine\n      "command": "/usr/bin/node",\n')
    expect(after).toContain('      "env": { "A": "b" }\n')
    expect(after).not.toContain('/old/')
  })
})

describe('a server in a TOML configuration', () => {
  it.each([
    ['', '[mcp_servers.skills]\n'],
    ['# mine\nmodel = "x"', '# mine\nmodel = "x"\n\n[mcp_servers.skills]\n'],
    [
      '[mcp_servers.other] # keep\ncommand = "o"\n',
      '[mcp_servers.other] # keep\ncommand = "o"\n\n[mcp_servers.skills]\n',
    ],
  ])('is added after the existing content: %j', (before, beginning) => {
    const after = toml(before)
    expect(after.slice(0, beginning.length)).toBe(beginning)
    expect(parseToml(after)).toMatchObject({ mcp_servers: { skills: ENTRY } })
    expect(toml(after)).toBe(after)
  })

  it('is updated where it differs; the rest of its table stays', () => {
    const before =
      '[mcp_servers.skills]\n# mine\ncommand = "/old/skills" # was\nargs = [\n  "mcp",\n]\nstartup_timeout_sec = 20\n\n[mcp_servers.skills.env]\nA = "b"\n'
    expect(toml(before)).toBe(
      '[mcp_servers.skills]\n# mine\ncommand = "/usr/bin/node" # was\nargs = ["/opt/skills.js", "mcp"]\nstartup_timeout_sec = 20\n\n[mcp_servers.skills.env]\nA = "b"\n',
    )
  })
})

describe('the location of a configuration', () => {
  const at = (platform: NodeJS.Platform, env: Record<string, string> = {}): InstallEnvironment => ({
    platform,
    env,
    home: '/home/ada',
    cwd: '/work',
  })

  it.each([
    [
      'claude-desktop',
      at('darwin'),
      '/home/ada/Library/Application Support/Claude/claude_desktop_config.json',
    ],
    [
      'claude-desktop',
      at('linux', { XDG_CONFIG_HOME: '/xdg' }),
      '/xdg/Claude/claude_desktop_config.json',
    ],
    [
      'claude-desktop',
      at('win32', { APPDATA: '/appdata' }),
      '/appdata/Claude/claude_desktop_config.json',
    ],
    ['claude-code', at('linux', { CLAUDE_CONFIG_DIR: '/claude' }), '/claude/.claude.json'],
    ['vscode', at('darwin'), '/home/ada/Library/Application Support/Code/User/mcp.json'],
    ['vscode', at('win32', { APPDATA: '/appdata' }), '/appdata/Code/User/mcp.json'],
    ['codex', at('linux', { CODEX_HOME: '/codex' }), '/codex/config.toml'],
    ['gemini', at('win32'), '/home/ada/.gemini/settings.json'],
  ] as const)('%s: %#', (client, surroundings, file) => {
    expect(CLIENTS[client].resolveFile(surroundings, 'user')).toBe(file)
  })

  it('is inside the project with the scope "project"', () => {
    const files = CLIENT_NAMES.map((name) => CLIENTS[name].resolveFile(at('linux'), 'project'))
    expect(files).toEqual([
      undefined,
      '/work/.mcp.json',
      '/work/.cursor/mcp.json',
      '/work/.vscode/mcp.json',
      '/work/.codex/config.toml',
      '/work/.gemini/settings.json',
    ])
  })
})
