const NETWORK_MODULES =
  /^(?:requests|httpx|aiohttp|urllib3|urllib\.request|http\.client|socket|ssl|ftplib|smtplib|imaplib|poplib|telnetlib|xmlrpc\.client|websockets?|paramiko|grpc|boto3|botocore|pycurl|tornado|twisted|asyncssh|pymongo|psycopg2?|redis|mysql|google\.cloud|openai|anthropic)(?:\.|$)/

/** Name of the network library that an import loads; undefined for other imports. */
export function findNetworkModule(found: {
  module: string
  name: string | null
}): string | undefined {
  if (NETWORK_MODULES.test(found.module)) return found.module
  const full = found.name === null ? found.module : `${found.module}.${found.name}`
  return NETWORK_MODULES.test(full) ? full : undefined
}
