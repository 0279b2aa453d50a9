// @module-tag slow
import { describe, expect, it } from 'vitest'
import { findSecretSinks } from '../../../../src/core/lint/code/secret-sinks.ts'
import {
  createExampleToml,
  createSecretUseToml,
  EXAMPLE_TABLES,
} from '../../../../src/core/lint/example-skill.ts'
import { lintFindings } from '../../../helpers/rule-cases.ts'

const HOST = 'https://api.example.com'
const READ =
  'import os\nimport urllib.request\n\n\ndef main(args):\n    key = os.environ["CRM_KEY"]\n'
const SEND =
  '    return {"who": args.get("who"), "x": urllib.request.urlopen(url).read().decode()}\n'

/** Findings about permissions for a line of [permissions.secrets] and a line of code. */
function lintUse(line: string, code: string, network = [HOST]) {
  return lintFindings(
    {
      'skill.toml': createSecretUseToml(line, network),
      'code/main.py': `${READ}    url = "${HOST}/"\n    ${code}\n${SEND}`,
    },
    ['permissions', 'schema'],
  )
}

describe('secrets as a table', () => {
  it.each([
    ['CRM_KEY = 1', 'permissions/secret-use: The secret "CRM_KEY" has no valid hosts', 'CRM_KEY'],
    ['CRM_KEY = "http://api.example.com"', 'in', 'CRM_KEY'],
    [
      `CRM_KEY = { hosts = ["${HOST}", "https://b.example.com"] }`,
      'permissions/secret-use: The secret "CRM_KEY" is for "https://b.example.com"',
      '"https://b.example.com"',
    ],
    [
      `CRM_KEY = ["${HOST}:8443"]`,
      'permissions/secret-use: The secret "CRM_KEY" is for "https://api.example.com:8443"',
      '"https://api.example.com:8443"',
    ],
    [
      `CRM_KEY = "${HOST}"\nOTHER = {}`,
      'permissions/unused-secret: The code never reads the secret "OTHER"',
      'OTHER',
    ],
    [
      `CRM_KEY = "${HOST}"\nPATH = {}`,
      'permissions/secret-name: The secret "PATH" is reserved for the system',
      'PATH',
    ],
  ])('%s has one finding, at its place', async (line, text, at) => {
    const found = await lintUse(line, 'print(key)')
    expect(found.filter((each) => !/unused-secret.*"PATH"/.test(each.text))).toEqual([
      expect.objectContaining({ at, text: expect.stringContaining(text) }),
    ])
  })

  it('a variable that is not declared belongs into the table', async () => {
    const found = await lintUse(`CRM_KEY = "${HOST}"`, 'print(key, os.environ["OTHER"])')
    expect(found).toEqual([
      expect.objectContaining({ help: 'Add OTHER = "https://host" to [permissions.secrets]' }),
    ])
  })

  it('a value in place of a host is not shown', async () => {
    const found = await lintUse('CRM_KEY = "q8Zr2Lw9Xk4Tn7Vb1Ym6"', 'print(key)')
    expect(JSON.stringify(found.map(({ text, help }) => [text, help]))).not.toContain('q8Zr2L')
    expect(found).not.toEqual([])
  })

  it('a list with another value is located at that element', async () => {
    const toml = createExampleToml(
      {},
      `${EXAMPLE_TABLES}\n[permissions]\nsecrets = ["CRM_KEY", 7]\n`,
    )
    const files = { 'skill.toml': toml, 'code/main.py': `${READ}    return {"k": key, **args}\n` }
    expect(await lintFindings(files, ['schema'])).toEqual([
      expect.objectContaining({
        at: '7',
        text: 'schema/wrong-type: "permissions.secrets" is a list with a number in it, expected a list of names, or a table by name',
      }),
    ])
  })
})

describe('the place of a secret', () => {
  it.each([
    ['url += f"?key={key}"', 'puts into query key the secret', 'Add "query:key" to "in"'],
    [
      'headers = {"X-Api-Key": key}',
      'puts into header X-Api-Key the secret',
      'Add "header:X-Api-Key" to "in"',
    ],
    [
      's = hmac.new(key.encode(), b"", "sha256")',
      'signs with HMAC and the secret',
      'hmac:<header>',
    ],
    ['t = jwt.encode({}, key, algorithm="HS256")', 'signs a JWT with the secret', 'without hosts'],
    ['c = boto3.client("s3", aws_secret_access_key=key)', 'signs requests of AWS', 'Add "sigv4"'],
  ])('%s is reported if only the header Authorization is listed', async (code, text, help) => {
    const found = await lintUse(`CRM_KEY = "${HOST}"`, code)
    expect(found.filter((each) => each.text.startsWith('permissions/secret-place'))).toEqual([
      expect.objectContaining({
        at: 'CRM_KEY',
        text: expect.stringContaining(text),
        help: expect.stringContaining(help),
      }),
    ])
  })

  it.each([
    ['["query:key"]', 'url += f"?key={key}"'],
    ['["header:x-api-key"]', 'headers = {"X-Api-Key": key}'],
    ['["sigv4"]', 'c = boto3.client("s3", aws_secret_access_key=key)'],
    ['["hmac:X-Sign"]', 's = hmac.new(key.encode(), b"", "sha256")'],
    ['["header:Authorization"]', 'headers = {"authorization": f"Bearer {key}"}'],
    ['["header:Authorization"]', 's = hmac.new(other.encode(), b"", "sha256")'],
  ])('%s serves %s', async (places, code) => {
    const found = await lintUse(`CRM_KEY = { hosts = ["${HOST}"], in = ${places} }`, code)
    expect(found.filter(({ text }) => text.includes('secret-place'))).toEqual([])
  })
})

describe('a secret without hosts', () => {
  it('has a note with the line to write if code sends it to the only host', async () => {
    const found = await lintUse('CRM_KEY = {}', 'headers = {"X-Api-Key": key}')
    expect(found).toEqual([
      {
        at: 'CRM_KEY',
        severity: 'info',
        text: 'permissions/secret-inside: CRM_KEY is inside of the sandbox: name its hosts in [permissions.secrets]',
        help: `Write CRM_KEY = { hosts = ["${HOST}"], in = ["header:X-Api-Key"] }`,
      },
    ])
  })

  it.each([
    ['several hosts', 'headers = {"X-Api-Key": key}', [HOST, 'https://b.example.com']],
    ['no visible use', 'print(key)', [HOST]],
    ['a signature', 't = jwt.encode({}, key, headers={"Authorization": key})', [HOST]],
  ])('has no note with %s', async (_, code, network) => {
    const found = await lintUse('CRM_KEY = {}', code, network)
    expect(found.filter(({ text }) => text.includes('secret-inside'))).toEqual([])
  })
})

describe('sinks of a secret', () => {
  const sinks = (text: string) =>
    findSecretSinks(text, 'CRM_KEY').map((each) =>
      each.kind === 'place' ? each.place : each.scheme,
    )

  it.each([
    [
      'const key = process.env.CRM_KEY\nfetch(url, { headers: { authorization: `Bearer ${key}` } })',
      ['header:Authorization'],
    ],
    ["headers.set('Authorization', `token ${process.env.CRM_KEY}`)", ['header:Authorization']],
    ["const s = createHmac('sha256', process.env.CRM_KEY)", ['hmac']],
    ['const key = process.env["CRM_KEY"] ?? ""\nconst t = await jwt.sign({}, key)', ['jwt']],
    ['curl -H "Authorization: Bearer $CRM_KEY" https://x', ['header:Authorization']],
    ['key="${CRM_KEY:-}"\ncurl "https://x/?api_key=${key}"', ['query:api_key']],
    [
      "token = os.environ.get('CRM_KEY')\nr = {'Authorization': 'Basic ' + b64(f'{user}:{token}')}",
      ['header:Authorization'],
    ],
    ["user = os.environ['CRM_KEY_ID']\nh = {'Authorization': user}", []],
    ["# headers['Authorization'] = CRM_KEY", []],
  ])('%s', (text, expected) => {
    expect(sinks(text)).toEqual(expected)
  })

  it('a hostile text takes little time', () => {
    const text = `CRM_KEY\n${`${'a-'.repeat(240)}\n`.repeat(5000)}${'?a=CRM_'.repeat(70)}`
    const start = performance.now()
    sinks(text)
    expect(performance.now() - start).toBeLessThan(3000)
  })
})
