const CREDENTIAL =
  /(?:authorization|token|secret|password|passwd|passphrase|apikey|accesskey|privatekey|sessionid|signature|credentials?|cookie)$|^(?:sig|auth|sid|pwd|jwt)$|awsaccesskeyid/
/** Names of places in a list of results. */
const CURSOR = /page|next|continu|cursor|offset|resume/

/** True for a header, a parameter or a field whose value is usually a credential. */
export function namesCredential(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  return CREDENTIAL.test(plain) && !CURSOR.test(plain)
}
