import { describe, expect, it } from 'vitest'
import { createAnonymousCaller } from '../../src/server/auth/caller.ts'

const SOURCE = { headers: { host: 'localhost:8080' }, httpVersion: '1.1' }
const account = (address: string | undefined) =>
  createAnonymousCaller({ ...SOURCE, address }).account

describe('a caller without a token', () => {
  it('has a limited rate, by its address', () => {
    expect(account('203.0.113.7')).toBe('address 203.0.113.7')
    expect(account('::ffff:203.0.113.7')).toBe(account('203.0.113.7'))
    expect(account('203.0.113.8')).not.toBe(account('203.0.113.7'))
  })

  it('is the same one for all IPv6 addresses of its network', () => {
    expect(account('2001:db8:1:2::1')).toBe(account('2001:db8:1:2:ffff:1:2:3'))
    expect(account('2001:db8:1:3::1')).not.toBe(account('2001:db8:1:2::1'))
    expect(account('2001:db8::1')).toBe(account('2001:db8::ffff'))
  })

  it('has no limited rate on this machine', () => {
    for (const address of [undefined, '127.0.0.1', '::ffff:127.0.0.1', '::1']) {
      expect(account(address)).toBeUndefined()
    }
  })
})

describe('the scope "operate" of a caller without a token', () => {
  const scopes = (source: {
    address?: string
    host?: string
    headers?: Record<string, string>
    httpVersion?: string
  }) => {
    const { address = '127.0.0.1', host = 'localhost:8080', headers, httpVersion = '1.1' } = source
    const caller = createAnonymousCaller({ address, headers: { host, ...headers }, httpVersion })
    return [...caller.scopes]
  }
  const EVERYONE = ['read', 'run', 'write']

  it('belongs to programs of this machine', () => {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.8.9.10'])
      expect(scopes({ address }), address).toEqual([...EVERYONE, 'operate'])
    for (const host of ['127.0.0.1:8080', '[::1]:8080', 'LOCALHOST', 'localhost.'])
      expect(scopes({ host }), host).toEqual([...EVERYONE, 'operate'])
  })

  it('belongs to no caller of another machine', () => {
    for (const address of ['203.0.113.7', '172.17.0.1', 'fe80::1', '::ffff:10.0.0.1', '0.0.0.0'])
      expect(scopes({ address }), address).toEqual(EVERYONE)
    const source = { headers: { host: 'localhost' }, address: undefined, httpVersion: '1.1' }
    expect([...createAnonymousCaller(source).scopes]).toEqual(EVERYONE)
  })

  it('belongs to no caller of a proxy on this machine', () => {
    for (const host of [
      'skills.example.com',
      '10.0.0.1',
      'localhost.example.com',
      '',
      'a@localhost',
    ])
      expect(scopes({ host }), host).toEqual(EVERYONE)
    for (const name of [
      'forwarded',
      'via',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-forwarded',
      'x-real-ip',
    ])
      expect(scopes({ headers: { [name]: '' } }), name).toEqual(EVERYONE)
    expect(scopes({ httpVersion: '1.0' })).toEqual(EVERYONE)
    expect(scopes({ headers: { 'x-forward': '1', 'x-via': '1' } })).toContain('operate')
  })
})
