import { describe, expect, it } from 'vitest'
import { createAnonymousCaller } from '../../src/server/auth/caller.ts'

const account = (address: string | undefined) => createAnonymousCaller(address).account

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
