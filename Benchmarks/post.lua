-- Load for wrk: posts receipts about new events, so many to a request.
-- Arguments: receipts in a request, key.
local per_request, headers, opening
local random, format = math.random, string.format
local hex = {}
for i = 0, 65535 do hex[i] = format("%04x", i) end

local threads = 0
function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

local function uuid()
  local function word() return hex[random(0, 65535)] end
  return word() .. word() .. "-" .. word() .. "-" .. word() .. "-" .. word() .. "-"
    .. word() .. word() .. word()
end

local receipt
function init(arguments)
  per_request = tonumber(arguments[1])
  headers = {
    ["Authorization"] = "Bearer " .. arguments[2], ["Content-Type"] = "application/json",
  }
  math.randomseed(os.time() * 7919 + number)
  local now = os.time()
  local function at(offset) return os.date("!%Y-%m-%dT%H:%M:%S.120Z", now + offset) end
  opening = format(
    '{"postedAt":"%s","context":{"platform":"ios","appVersion":"3.2.1","osVersion":"18.1"},'
      .. '"receipts":[', at(0))
  receipt = format(
    '","stage":"received","path":"extension","at":"%s","sentAt":"%s","campaign":"autumn"}',
    at(-5), at(-7))
end

function request()
  local receipts = {}
  for i = 1, per_request do receipts[i] = '{"eventId":"' .. uuid() .. receipt end
  return wrk.format(
    "POST", "/v1/receipts", headers, opening .. table.concat(receipts, ",") .. "]}")
end
