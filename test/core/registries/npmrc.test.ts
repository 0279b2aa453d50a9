import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { NpmSettings } from '../../../src/core/registries/credentials/npmrc.ts'
import { openRegistryAccess } from '../../../src/core/registries/credentials/open-access.ts'
import { createFolder } from '../../helpers/skills.ts'

type Variables = Record<string, string>

const read = (text: string, env: Variables = {}) => new NpmSettings(text, '.npmrc', env)
const findToken = (text: string, env: Variables = {}) =>
  read(text, env).findCredentials(new URL('https://a.example.com/npm/'))

describe('.npmrc', () => {
  const text = [
    'registry = https://registry.example.com/npm',
    '@team:registry=https://team.example.com/',
    '//registry.example.com/npm/:_authToken=${TOKEN}',
    '; //team.example.com/:_authToken=comment',
    '//team.example.com/:username=user',
    `//team.example.com/:_password=${btoa('pass:word')}`,
  ].join('\n')
  const settings = read(text, { TOKEN: 'value' })

  it('names the registry of a scope and the general one', () => {
    expect(settings.findRegistry('@team/a').href).toBe('https://team.example.com/')
    expect(settings.findRegistry('@other/a').href).toBe('https://registry.example.com/npm/')
  })

  it('gives credentials to their own registry and path only', () => {
    const find = (url: string) => settings.findCredentials(new URL(url))
    const token = { type: 'token', token: 'value' }
    expect(find('https://registry.example.com/npm/')).toEqual(token)
    expect(find('https://registry.example.com/npm/below/')).toEqual(token)
    for (const url of ['https://registry.example.com/', 'https://registry.example.com/npm2/']) {
      expect(find(url)).toBeUndefined()
    }
    expect(find('https://registry.example.com:444/npm/')).toBeUndefined()
    const login = { type: 'password', user: 'user', password: 'pass:word' }
    expect(find('https://team.example.com/')).toEqual(login)
  })

  it('refuses a variable that is not set, when its setting is needed', () => {
    for (const env of [{}, { TOKEN: '' }]) {
      const missing = read(text, env)
      expect(missing.findRegistry('a').host).toBe('registry.example.com')
      expect(() => missing.findCredentials(missing.findRegistry('a'))).toThrow('variable TOKEN')
    }
  })

  it.each([
    ['_authToken=t', { type: 'token', token: 't' }],
    [`_auth=${btoa('user:pass:word')}`, { type: 'password', user: 'user', password: 'pass:word' }],
    ['_authToken=', undefined],
    ['_authToken=${NONE?}', undefined],
    ['username=user', undefined],
  ])('reads the credentials %s', (line, credentials) => {
    expect(findToken(`//a.example.com/npm/:${line}`)).toEqual(credentials)
    expect(findToken(`//a.example.com/npm:${line}`)).toEqual(credentials)
    expect(findToken(`//a.example.com/:${line}`)).toEqual(credentials)
    expect(findToken(`//a.example.com/npm/team/:${line}`)).toBeUndefined()
  })

  it.each([
    ['_authToken=two words', 'characters that no token has'],
    ['_authToken=ümlaut', 'characters that no token has'],
    ['_authToken=${NONE}', 'variable NONE'],
    [`_auth=${btoa('no colon')}`, 'not "user:password"'],
  ])('refuses the credentials %s without showing them', (line, problem) => {
    const find = () => findToken(`//a.example.com/npm/:${line}`)
    expect(find).toThrow(problem)
    expect(find).not.toThrow(/two words|ümlaut|no colon/)
  })

  it.each([
    'http://registry.example.com/',
    'http://127.evil.example/',
    'http://localhost.evil.example/',
    'https://user:password@registry.example.com/',
    'https://user:pass/word@registry.example.com/',
    'ftp://registry.example.com/',
    'registry.example.com',
    '',
  ])('refuses the registry %j, general and of a scope, without showing a password', (registry) => {
    for (const key of ['registry', '@team:registry']) {
      const find = () => read(`${key}=${registry}`).findRegistry('@team/a')
      expect(find).toThrow('cannot be used')
      expect(find).not.toThrow(/pass|word/)
    }
  })

  it('accepts http for a registry of this machine, the control', () => {
    for (const registry of ['http://localhost:4873/', 'http://127.0.0.1/', 'http://[::1]:1/']) {
      expect(read(`registry=${registry}`).findRegistry('a').href).toBe(registry)
    }
  })

  it('means the same as for npm: quotes, comments, escapes, variables and sections', async () => {
    const lines = {
      plain: 'https://plain.example.com/a',
      comment: 'https://comment.example.com/ ; of mine',
      hash: 'https://hash.example.com/ #b',
      double: '"https://double.example.com/"',
      single: "'https://single.example.com/'",
      escaped: 'https://escaped.example.com/a\\;b/',
      variable: 'https://variable.example.com/${PART}/',
      absent: 'https://absent.example.com/${NONE?}',
      spaces: '  https://spaces.example.com/  ',
    }
    const file = join(createFolder(), 'npmrc')
    const registries = Object.entries(lines).map(
      ([scope, value]) => `@${scope}:registry = ${value}`,
    )
    const written = [
      '[not a section',
      ...registries,
      '[section]',
      '@late:registry=https://late.example/',
    ]
    writeFileSync(file, written.join('\n'))
    const env = {
      PATH: process.env['PATH'],
      HOME: createFolder(),
      PART: 'part',
      npm_config_update_notifier: 'false',
    }
    const argv = ['config', 'list', '--json', '--userconfig', file]
    const { stdout } = await promisify(execFile)('npm', argv, { cwd: createFolder(), env })
    const listed = JSON.parse(stdout) as Record<string, string>
    const own = read(written.join('\n'), { PART: 'part' })
    for (const scope of Object.keys(lines)) {
      const found = own.findRegistry(`@${scope}/a`).href
      const expected = listed[`@${scope}:registry`] ?? ''
      expect(found.replace(/\/$/, ''), scope).toBe(expected.replace(/\/$/, ''))
    }
    expect(listed['@late:registry']).toBeUndefined()
    expect(own.findRegistry('@late/a').href).toBe('https://registry.npmjs.org/')
  })
})

describe('the user’s access to npm', () => {
  const find = (env: Variables, name = 'a') => openRegistryAccess(env).findNpmRegistry(name).host

  it('takes the registry of a variable before that of the file, and a scope before both', () => {
    const HOME = createFolder({
      '.npmrc': 'registry=https://file.example/\n@team:registry=https://team.example/\n',
    })
    expect(find({ HOME })).toBe('file.example')
    const lower = { npm_config_registry: 'https://lower.example/' }
    const upper = { NPM_CONFIG_REGISTRY: 'https://upper.example/' }
    expect(find({ HOME, ...upper })).toBe('upper.example')
    expect(find({ HOME, ...upper, ...lower })).toBe('lower.example')
    expect(find({ HOME, npm_config_registry: '' })).toBe('file.example')
    expect(find({ HOME, ...lower }, '@team/a')).toBe('team.example')
    expect(() => find({ HOME, npm_config_registry: 'http://lower.example/' })).toThrow(
      'cannot be used',
    )
  })

  it('takes the file that a variable names, and none if it does not exist', () => {
    const HOME = createFolder({ '.npmrc': 'registry=https://home.example/\n' })
    const folder = createFolder({
      lower: 'registry=https://lower.example/\n',
      upper: 'registry=https://upper.example/\n',
    })
    const upper = { NPM_CONFIG_USERCONFIG: join(folder, 'upper') }
    const lower = { npm_config_userconfig: join(folder, 'lower') }
    expect(find({ HOME, ...upper })).toBe('upper.example')
    expect(find({ HOME, ...upper, ...lower })).toBe('lower.example')
    expect(find({ HOME, npm_config_userconfig: '' })).toBe('home.example')
    expect(find({ HOME, npm_config_userconfig: join(folder, 'none') })).toBe('registry.npmjs.org')
    expect(find({})).toBe('registry.npmjs.org')
  })

  it('refuses a file that cannot be read, and one that is too large', () => {
    const HOME = createFolder()
    const file = join(HOME, '.npmrc')
    // A cut file would name the public registry for private names.
    const write = (size: number) =>
      writeFileSync(file, `${'#'.repeat(size - 31)}\nregistry=https://own.example/\n`)
    write(1024 ** 2)
    expect(find({ HOME })).toBe('own.example')
    write(1024 ** 2 + 1)
    expect(() => find({ HOME })).toThrow('more than 1048576 bytes')
    const folder = join(HOME, 'folder')
    mkdirSync(folder)
    expect(() => find({ npm_config_userconfig: folder })).toThrow('cannot be read (EISDIR)')
  })
})
