import { describe, expect, it } from 'vitest'
import { maskSecrets } from '../../../src/core/runs/network/masked-secrets.ts'
import { API, buildRequest, openMasked } from '../sandbox/egress/masking-fixture.ts'

function mask(value: string) {
  const use = { hosts: ['https://api.example'], in: ['header:Authorization'] }
  const { variables, masked } = maskSecrets(
    new Map([['KEY', value]]),
    new Map([['KEY', use]]),
    'run',
  )
  return { shown: variables['KEY'] ?? '', hidden: masked[0]?.value, standIn: masked[0]?.standIn }
}

const write = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

describe('a stand-in has the shape that clients check', () => {
  it.each<[string, string, [RegExp, string]]>([
    [
      'the token of a webhook',
      'https://hooks.example/services/T0000/B0000/Zr4Kq81mVx7TgB2nYc5Lw9',
      [
        /^https:\/\/hooks\.example\/services\/T0000\/B0000\/[A-Za-z0-9]{22}$/,
        'Zr4Kq81mVx7TgB2nYc5Lw9',
      ],
    ],
    [
      'the token of a bot, with a colon',
      'https://api.example/bot12345678:AAHdqTcvCH1vGWJxfSeof/getMe',
      [/^https:\/\/api\.example\/[A-Za-z0-9]+\/getMe$/, 'bot12345678:AAHdqTcvCH1vGWJxfSeof'],
    ],
    [
      'a key in a query',
      'https://api.example/v1?key=Zr4Kq81mVx7TgB2nYc5Lw9&format=json#top',
      [
        /^https:\/\/api\.example\/v1\?key=[A-Za-z0-9]{22}&format=json#top$/,
        'Zr4Kq81mVx7TgB2nYc5Lw9',
      ],
    ],
    [
      'a password, escaped',
      'https://ada:p%40ss-word@api.example/v1/items',
      [/^https:\/\/ada:[a-z0-9-]+@api\.example\/v1\/items$/, 'p@ss-word'],
    ],
    [
      'a header',
      'Bearer Zr4Kq81mVx7TgB2nYc5Lw9',
      [/^Bearer [A-Za-z0-9]{22}$/, 'Zr4Kq81mVx7TgB2nYc5Lw9'],
    ],
    [
      'an address without one',
      'https://api.example/v1',
      [/^[a-z0-9.]+$/, 'https://api.example/v1'],
    ],
  ])('%s', (_, value, [shape, secret]) => {
    const { shown, hidden, standIn } = mask(value)
    expect(shown).toMatch(shape)
    expect(hidden).toBe(secret)
    expect(shown).toContain(standIn)
    expect(shown).not.toContain(secret)
  })

  it.each([
    'https://ghp_Zr4Kq81mVx7TgB2nYc5Lw9@api.example/repositories/a-long-name-of-one',
    'https://Zr4Kq81mVx7TgB2nYc5Lw9:x-oauth-basic@api.example/',
    'https://api.example/v1?user=Zr4Kq81mVx7TgB2nYc5Lw9&password=hunter2',
    'https://api.example/Zr4Kq81mVx7TgB2nYc5Lw9/Hd3Js6Pf0UaZr4Kq81mVx',
    'https://api.example/Zr4Kq81mVx7TgB2nYc5Lw9#Hd3Js6Pf0Ua',
    'https://ada:hunter2@api.example/Zr4Kq81mVx7TgB2nYc5Lw9',
    'https://ada:hunter2@api.example/hunter2',
  ])('and nothing of %s, in which several parts could be secret', (value) => {
    const { shown, hidden } = mask(value)
    expect(hidden).toBe(value)
    for (const part of value.split(/\W+/)) {
      if (part.length > 5) expect(shown).not.toContain(part)
    }
  })

  it('and is not empty for a value that is only a scheme', () => {
    expect(mask('Bearer ').standIn).toMatch(/^[A-Za-z0-9]{16,}$/)
  })

  it('a JSON Web Token with its times', () => {
    const header = { alg: 'HS256', typ: 'JWT' }
    const claims = {
      sub: 'ada',
      aud: 'api',
      exp: 1_900_000_000,
      roles: ['owner'],
      nested: { mail: 'a@b.c' },
    }
    const signature = 'Zr4Kq81mVx7TgB2nYc5Lw9Hd3Js6Pf0UaZr4Kq81mVx'
    const { shown, hidden } = mask(`${write(header)}.${write(claims)}.${signature}`)
    expect(hidden).toContain(signature)
    const parts = shown.split('.')
    const [first, second] = parts.map((part) => Buffer.from(part, 'base64url').toString())
    expect(JSON.parse(first ?? '')).toEqual(header)
    const read = JSON.parse(second ?? '') as typeof claims
    expect(read).toMatchObject({ aud: 'api', exp: 1_900_000_000 })
    expect(JSON.stringify(read)).not.toMatch(/ada|owner|a@b/)
    expect(parts[2]).toHaveLength(signature.length)
    expect(parts[2]).not.toBe(signature)
  })

  it('and a text that only looks like such a token has another one', () => {
    expect(mask(`eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`).shown).toHaveLength(
      69 - 1,
    )
  })
})

describe('a request with a part of a value', () => {
  it('gets the part in its path', async () => {
    const value = `https://${API}/services/T0000/Zr4Kq81mVx7TgB2nYc5Lw9`
    const { port, send, requests, standIn } = await openMasked(['path'], { value })
    const { pathname } = new URL(standIn)
    await send(buildRequest([`POST ${pathname} HTTP/1.1`], '{}', `${API}:${port}`))
    expect(requests[0]?.url).toBe(new URL(value).pathname)
  })

  it('gets the part after its scheme, also where that is Basic', async () => {
    const value = `Basic ${Buffer.from('ada:Zr4Kq81mVx7TgB2nYc5Lw9').toString('base64')}`
    const { port, send, requests, standIn } = await openMasked(['header:Authorization'], { value })
    await send(buildRequest(['GET / HTTP/1.1', `Authorization: ${standIn}`], '', `${API}:${port}`))
    expect(requests[0]?.headers['authorization']).toBe(value)
  })
})
