"""What `--help` says of every command: what it does, then examples that work; imports nothing."""

from __future__ import annotations

ABOUT = """\
Which server should run this language model, and what does it cost?

rackrate compares CPU and GPU servers of clouds and dedicated hosters for one workload: does the model
fit, how fast is it, how many servers does the traffic need, what does a million tokens cost.
Without a command it opens the dashboard; when stdout is not a terminal it writes the comparison as CSV.
It uses bundled, dated prices until `rackrate refresh` fetches newer ones, and no network otherwise.
"""

COMPARE = """\
List every offer (a server at a price) for one workload: fit, latency, throughput, servers needed, cost.
Offers that meet the latency targets come first, then those that miss them, then those without an estimate.
"""

COMPARE_EXAMPLES = """\
examples:
  rackrate compare
  rackrate compare --workload rag --model Llama-3.3-70B --quant fp8 --rps 5 --limit 10
  rackrate compare --kind cpu --region eu --max-usd-month 100 --sort ttft_ms
  rackrate compare --concurrency 20 --where "gpu>=24 !spot provider:hetzner"
  rackrate compare --term all --undated --csv offers.csv

--where takes terms that must all hold; ! in front turns one round:
  hetzner "h100 sxm"        a word, or several in quotes, in provider, server, region, chip, CPU or term
  provider:aws,gcp region:eu term:spot chip:h100 processor:epyc engine:vllm
  gpu>=24 gpus=1 vram>=80 ram>=64 cores>=16     GiB of one GPU, GPUs, GiB of all GPUs, GiB of RAM, cores
  ttft<1s tpot<50ms users>=10 servers<=4        answers for your workload
  price<2 $mo<900 $mtok<0.5 age<90d             list price an hour, month, per million output tokens (in --currency), days
  cpu gpu spot monthly fits targets stock     what an offer is; any number column works by its full name

definitions:
  TTFT   time to first token: the wait before the answer starts, queueing included. With --rps requests
         arrive at random (open loop); with --concurrency each user asks again as soon as the answer is
         there, without time to think (closed loop): ten people who also read are fewer than ten users.
  TPOT   mean time between a request's output tokens after the first, prefill of others included.
  targets are compared with the mean; with --ttft-at p95 the TTFT target is for 95 of 100 requests that arrive at
         random with prompts of the stated length (ttft_p95_ms). --ttft-ms none and --tpot-ms none: no target;
         then one server is meant, and one that cannot carry the traffic alone does not meet it.
  Users  (max_concurrency) most requests at once on one server inside the targets; 0 = not even one.
  requests_per_s_at_target  most requests a second of one server inside the targets; for a server that
         misses them, its own best throughput.
  servers_needed  whole servers for your traffic at --utilization of that rate.
  utilization  your traffic / (servers_needed x requests_per_s_at_target).
  a server that misses a target keeps its figures and a cost at its own best throughput, marked and last.
  cost   whole servers x their monthly price (or 730 h) / tokens served at your traffic.
         cost_per_m_output_tokens_full_load is one server's price / what it would serve if it were always
         as busy as the targets allow: never higher, and only true for those who fill it.
  --vat and the settings' vat and [discounts] are percent. A discount is on hourly and monthly prices,
         not on setup fees. `rackrate config init` writes a file to set them in.
"""

ADVISE = """\
Say what to do, by the same estimates and prices as `compare`. Topics:
  verdict      what to rent and why, what would change it, whether it holds inside the error bands (default)
  fleet        servers for a day's traffic or a trace; always on, by the hour, or a base with a peak on top
  crossover    from which traffic on a CPU fleet, a GPU fleet or an API is the cheapest, exact to the step
  buy          self-hosting against serverless APIs: break-even, utilization, overheads, bought servers
  bottlenecks  host CPU, links, disk, RAM, NUMA, power of a server: what each costs
  box          embedding model and reranker beside the model, voice calls, a job with a deadline
  budget       the largest model of each family that a month's money serves
Exit code: 0 answered ("nothing meets it" is an answer), 2 bad input.
"""

ADVISE_EXAMPLES = """\
examples:
  rackrate advise
  rackrate advise --workload rag --model Llama-3.3-70B --quant fp8 --rps 5 --format markdown
  rackrate advise fleet --rps 3 --peak 12 --spare 1
  rackrate advise crossover --workload internal --format csv
  rackrate advise buy --tokens-per-month 300M --ops-percent 30
  rackrate advise bottlenecks --model Llama-3.3-70B --where "gpus=2"
  rackrate advise bottlenecks --server "4x L40S"
  rackrate advise box --embed bge-m3 --documents 100000 --deadline 8
  rackrate advise budget --budget 300
"""

DIFF = """\
Say what changed between two files of `rackrate compare --csv FILE`: prices, new and gone offers, estimates, and the cheapest
offer that meets the targets then and now. Files that were asked different things (columns workload and selection) are refused.
Where nothing changed, nothing is printed ([] as json; on a terminal a sentence says so).
Exit code: 0 nothing changed, 1 something did, 2 a file cannot be used or the questions differ.
"""

DIFF_EXAMPLES = """\
examples:
  rackrate diff sunday.csv monday.csv
  rackrate diff sunday.csv monday.csv --by 5 --format markdown
  rackrate diff sunday.csv monday.csv --only dearer --by 5

--only takes, comma-separated:
  dearer cheaper   a listed price or the month's bill went up or down, whatever moved the bill: price, rate, number of servers
  new gone         offers that only one of the files has
  targets          offers that meet the targets only now, or no more
  stock            another availability
  other            another estimate or reason, a price that was not stated before or is not any more
--by leaves out prices and figures that moved by less; it says nothing of new and gone offers, --only does.
"""

ESTIMATE = """\
Answer one row after the other of a CSV file, for any hardware of the catalog; needs no prices.
Columns in (model and hardware are required, all others optional):
  case_id model quant kv_quant engine engine_version hardware count sockets cores_used memory_channels
  memory_mts tp pp ep dp_attention input_tokens output_tokens concurrency request_rate_rps scenario
  max_model_len gpu_memory_utilization usable_vram_gib
scenario: online, server, static, offline, single_stream, bench or startup. Without prompt and answer lengths 512 and
128 tokens are taken, without an engine's version today's. basis in the answer: measured (published rows of the same
model and hardware near this load move the figure), calibrated (constants fitted on rows of this chip), extrapolated
(of others), bound (the limits of bandwidth and arithmetic alone).
Columns of your own come back as they are; one that is a name above but for a letter is refused.
A row that cannot be answered says why in its `error` column; it never stops the file.
"""

ESTIMATE_EXAMPLES = """\
examples:
  rackrate estimate cases.csv
  rackrate estimate cases.csv -o answers.csv
"""

REFRESH = """\
Fetch current prices, exchange rates and token prices. Without names: from every feed that needs no key, and from those whose
key is in the environment (`rackrate catalog providers` names the variables). All are asked at once; one that fails, or a
part of it, keeps its last good prices. Exit code: 0 all fresh, 1 some failed, 2 nothing usable.
"""

REFRESH_EXAMPLES = """\
examples:
  rackrate refresh
  rackrate refresh aws hetzner ecb
  rackrate refresh --max-age 12 --json
  rackrate refresh verda --accept verda
"""

CATALOG = """\
List what rackrate knows: names to use with --model, --quant, --engine and --workload, with their facts.
"""

CATALOG_EXAMPLES = """\
examples:
  rackrate catalog
  rackrate catalog models qwen
  rackrate catalog hardware "rtx 4090"
  rackrate catalog workloads --format markdown
  rackrate catalog tokens llama-3.3
"""

OFFERS = """\
Your own quotes and machines. They stand in servers.toml beside the settings (`rackrate config path`), are compared like
all other offers, as provider custom, and no refresh touches them. A text editor does as well: what these commands do not
change stays as it is, comments included.
"""

OFFERS_EXAMPLES = """\
examples:
  rackrate offers add colo-1 --gpu "H100 SXM" --gpu-count 8 --cpu "2x AMD EPYC 9454" --ram 1024 --hourly 18.50 --currency EUR
  rackrate offers add quote-7 --cpu "AMD EPYC 9554P" --sockets 1 --ram 384 --monthly 420 --setup 99 --commitment 12 --region eu
  rackrate offers add mine --gpu L40S --gpu-count 4 --purchase 62000 --months 48 --watts 2100 --power-price 0.22
  rackrate offers list
  rackrate offers remove quote-7

A bought machine costs purchase / months + watts x PUE x 730 h x price of a kWh + colocation, every month. Prices are taken
as they are: a discount of the settings is for them only where [discounts] names custom. A price without a day counts as
seen on the day the file was last changed.
"""

ACCURACY = """\
How far the estimates are from measured speeds, per metric and group. Without a file: on the published
measurements that ship with the program. With a file: on its rows alone. A measurements file is a cases file
with the columns metric and value, and if you like repeats, source_group and use (see `rackrate estimate --help`).
"""

ACCURACY_EXAMPLES = """\
examples:
  rackrate accuracy --by class
  rackrate accuracy measurements.csv
  rackrate accuracy measurements.csv --by engine --by hardware
  rackrate accuracy measurements.csv --leave-out gpu
  rackrate accuracy measurements.csv --fit --out constants

metrics: tpot_ms, ttft_ms, ttft_ms_p50, ttft_ms_p95, output_tokens_per_s, total_tokens_per_s, tokens_per_s_per_user,
  prompt_tokens_per_s, requests_per_s; values are of the whole system. use=excluded leaves a row out. No fit sees
  ttft_ms_p95: its rows that say use=check have lines of their own beside the last one's all.
figures: error = |predicted/measured - 1|; bias = median of predicted/measured; in band = share of the measured
  values inside the estimate's low and high; a row weighs 1/repeats. The medians of chips and of models count
  each chip and each model once, however many rows it has.

--leave-out answers for what nobody measured: each chip, model or source is predicted by constants that were
  fitted without any of its rows. Fits see the shipped rows and yours; it takes about a minute.
--fit fits all constants anew, to the shipped rows and yours together, and prints old, new, relative standard
  deviation and rows behind each. The same rows give the same constants. It takes about half a minute and writes
  nothing without --out. A folder named constants beside the settings file (`rackrate config path` says where that
  is) is used by every estimate from then on; delete it to go back to ours.
"""

CONFIG = """\
path  print where settings and prices are kept
show  print the settings in force
keys  list the dashboard's commands by place: id, keys in force, what it does. [keys] in the settings changes them:
      "filter.edit" = "/, ctrl+f"
init  write a settings file with every setting explained
"""

CONFIG_EXAMPLES = """\
examples:
  rackrate config path
  rackrate config show
  rackrate config keys
  rackrate config init
"""
